#include "tactus/io/xml_document.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/io/parse_number.h"
#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

using testing::HasSubstr;

TEST(ParseNumber, TakesWholeTokensOnly) {
  EXPECT_EQ(ParseNumber("1"), 1.0);
  EXPECT_EQ(ParseNumber("-.5"), -0.5);
  EXPECT_EQ(ParseNumber("+2."), 2.0);
  EXPECT_EQ(ParseNumber("1E-3"), 1e-3);
  EXPECT_EQ(ParseNumber("1e-999"), 0.0);
  for (const char* token : {"", "+", "-", "+-1", "1x", "1,5", "nan", "NaN", "inf", "-infinity", "1e999", "0x10", "1e",
                            "1 2", "${a}", "--1"}) {
    EXPECT_FALSE(ParseNumber(token)) << token;
  }
  EXPECT_EQ(ParseInteger("-12"), -12);
  EXPECT_FALSE(ParseInteger("1.5"));
  EXPECT_FALSE(ParseInteger("99999999999999999999"));
}

TEST(Quote, IsShortAndPrintable) {
  EXPECT_EQ(Quote("a\nb\x1b"), "a?b?");
  EXPECT_EQ(Quote("abcdef", 3), "abc...");
  EXPECT_EQ(Quote("a\xc3\xa4\xc3\xa4", 2), "a...");
}

const char* const kText = R"(<robot name="r">
  <joint name="a" n="3" bad="1 0">
    <axis xyz="1 0" good=" 1  2	3 " word="two"/>
    <axis xyz="1 0 0"/>
  </joint>
</robot>)";

TEST(XmlDocument, ReadsAttributes) {
  const XmlDocument document = XmlDocument::Parse(kText, "f.xml");
  const XmlElement joint = document.root().RequireChild("joint");
  EXPECT_EQ(joint.line(), 2);
  EXPECT_EQ(joint.Integer("n", 0), 3);
  EXPECT_EQ(joint.Integer("m", 7), 7);
  EXPECT_EQ(joint.Number("m", 0.5), 0.5);
  const XmlElement axis = joint.Children("axis")[0];
  EXPECT_EQ(axis.RequireVector3("good"), Vector3(1, 2, 3));
  EXPECT_EQ(axis.RequireOneOf("word", {"one", "two"}), 1u);
  EXPECT_EQ(joint.Children().size(), 2u);
  EXPECT_EQ(joint.AttributeNames().size(), 3u);
}

TEST(XmlDocument, SaysWhereAndWhat) {
  const XmlDocument document = XmlDocument::Parse(kText, "f.xml");
  const XmlElement joint = document.root().RequireChild("joint");
  EXPECT_EQ(ErrorOf([&] { joint.RequireVector3("bad"); }),
            "f.xml:2: <joint name='a'>: attribute 'bad' is '1 0' (expected: 3 numbers)");
  EXPECT_EQ(ErrorOf([&] { joint.Children()[0].RequireNumber("xyz"); }),
            "f.xml:3: <axis> in <joint name='a'>: attribute 'xyz' is '1 0' (expected: 1 number)");
  EXPECT_THAT(ErrorOf([&] { joint.OnlyChild("axis"); }),
              HasSubstr("f.xml:4: <axis> in <joint name='a'>: a second one"));
  EXPECT_THAT(ErrorOf([&] { joint.RequireChild("limit"); }), HasSubstr("there is no <limit> in it"));
  EXPECT_THAT(ErrorOf([&] { joint.RequireNumber("none"); }), HasSubstr("attribute 'none' is missing"));
  EXPECT_THAT(ErrorOf([&] { joint.Integer("bad", 0); }), HasSubstr("a whole number"));
}

TEST(XmlDocument, RefusesWhatIsNotWellFormed) {
  const auto error = [](const std::string& text) { return ErrorOf([&] { XmlDocument::Parse(text, "f.xml"); }); };
  EXPECT_THAT(error("<a>\n<b></a>"), HasSubstr("f.xml:2: not well-formed XML"));
  EXPECT_THAT(error("<a x='1' x='2'/>"), HasSubstr("one that is there twice"));
  EXPECT_THAT(error("<a/><b/>"), HasSubstr("beside the root element"));
  EXPECT_THAT(error("<a/> text"), HasSubstr("not well-formed XML"));
  EXPECT_THAT(error(std::string("<a>\n\0</a>", 9)), HasSubstr("f.xml:2: a byte is 0"));
  for (const char* text : {"", "   ", "a", "<", "<a", "<a>", "<a x>", "<!-- a", "\xff\xfe<", "<?xml", "<!DOCTYPE a"}) {
    EXPECT_NE(error(text), "") << text;
  }
}

TEST(XmlDocument, HasLimits) {
  std::string deep;
  for (int i = 0; i < 101; ++i) deep += "<a>";
  for (int i = 0; i < 101; ++i) deep += "</a>";
  EXPECT_THAT(ErrorOf([&] { XmlDocument::Parse(deep, "f.xml"); }), HasSubstr("nested too deeply"));
  std::string deeper;
  for (int i = 0; i < 100000; ++i) deeper += "<a>";
  EXPECT_NE(ErrorOf([&] { XmlDocument::Parse(deeper, "f.xml"); }), "");
  XmlSettings settings;
  settings.max_elements = 4;
  EXPECT_EQ(ErrorOf([&] { XmlDocument::Parse("<a><b/><c/></a>", "f.xml", settings); }), "");
  EXPECT_THAT(ErrorOf([&] { XmlDocument::Parse("<a><b/><c/><d/></a>", "f.xml", settings); }),
              HasSubstr("too many elements"));
  std::string many = "<a";
  for (int i = 0; i < 101; ++i) many += " x" + std::to_string(i) + "='='";
  EXPECT_THAT(ErrorOf([&] { XmlDocument::Parse(many + "/>", "f.xml"); }), HasSubstr("too many attributes"));
  EXPECT_THAT(ErrorOf([&] { XmlDocument::Parse("<a>\n&#x </a>", "f.xml"); }), HasSubstr("f.xml:2: not well-formed"));
  EXPECT_EQ(XmlDocument::Parse("<a x='&#65;&lt;'/>", "f.xml").root().Text("x"), "A<");
  EXPECT_EQ(ErrorOf([] { XmlDocument::Parse("<!-- <=&#' --><a><![CDATA[<&#]]></a>", "f.xml"); }), "");
  settings.max_bytes = 5;
  EXPECT_THAT(ErrorOf([&] { XmlDocument::Parse("<a></a>", "f.xml", settings); }), HasSubstr("has 7 bytes"));
}

}  // namespace
}  // namespace tactus
