#include "tactus/scene/yaml_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ParseError(const std::string& text, const YamlSettings& settings = {}) {
  return ErrorOf([&] { ParseYaml(text, "f.yaml", settings); });
}

TEST(YamlTree, ValuesAndTheirLines) {
  const YamlDocument document = ParseYaml("a: 1\nb:\n  - x\n  - {c: 'two words', d: }\n", "f.yaml");
  const YamlNode& root = document.root;
  ASSERT_EQ(root.kind, YamlNode::Kind::Map);
  EXPECT_THAT(root.keys, ElementsAre("a", "b"));
  EXPECT_EQ(root.Find("a")->text, "1");
  EXPECT_EQ(root.Find("z"), nullptr);
  const YamlNode& map = root.Find("b")->children[1];
  EXPECT_EQ(map.Find("c")->text, "two words");
  EXPECT_EQ(map.Find("d")->kind, YamlNode::Kind::Null);
  EXPECT_EQ(document.Place(*map.Find("c")), "f.yaml:4");
}

TEST(YamlTree, AliasesAreCopies) {
  const YamlDocument document = ParseYaml("a: &x {k: [1, 2]}\nb: *x\n", "f.yaml");
  EXPECT_EQ(document.root.Find("b")->Find("k")->children[1].text, "2");
}

TEST(YamlTree, WhatIsRefused) {
  EXPECT_THAT(ParseError("a: [1, 2"), HasSubstr("this is no YAML"));
  EXPECT_THAT(ParseError("a: 1\na: 2\n"), HasSubstr("f.yaml:2: key 'a' is there twice"));
  EXPECT_THAT(ParseError("a: 1\n---\nb: 2\n"), HasSubstr("a second document"));
  EXPECT_THAT(ParseError("a: !!python/object:os.system x\n"), HasSubstr("has no meaning here"));
  EXPECT_THAT(ParseError("? [a]\n: 1\n"), HasSubstr("a key is not a text"));
  EXPECT_THAT(ParseError(std::string("a: \0b", 5)), HasSubstr("zero byte at 3"));
  EXPECT_THAT(ParseError("a: &x [1, *x]\n"), HasSubstr("f.yaml:1"));
  EXPECT_THAT(ParseError("a: *x\n"), HasSubstr("f.yaml:1"));
}

TEST(YamlTree, HostileFiles) {
  EXPECT_THAT(ParseError(std::string(100000, '[')), HasSubstr("nested too deeply"));
  std::string maps;
  for (int k = 0; k < 5000; ++k) maps += "{a: ";
  EXPECT_THAT(ParseError(maps), HasSubstr("nested too deeply"));
  std::string dashes;
  for (int k = 0; k < 5000; ++k) dashes += "- ";
  EXPECT_THAT(ParseError(dashes), HasSubstr("nested too deeply"));

  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int k = 1; k < 20; ++k) {
    bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", k, k - 1);
  }
  EXPECT_THAT(ParseError(bomb), HasSubstr("too many values"));

  YamlSettings small;
  small.max_bytes = 10;
  EXPECT_THAT(ParseError("a: 12345678", small), HasSubstr("at most 10"));
  small = {};
  small.max_text = 10;
  EXPECT_THAT(ParseError("a: 12345678901", small), HasSubstr("a text of 11 characters"));
  small = {};
  small.max_nodes = 10;
  EXPECT_THAT(ParseError("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", small), HasSubstr("too many values"));
  std::string keys;
  for (int k = 0; k < 5000; ++k) keys += fmt::format("k{}: 1\n", k);
  EXPECT_THAT(ParseError(keys), HasSubstr("too many keys"));
}

TEST(YamlTree, ValuesAreSetByPath) {
  YamlDocument document = ParseYaml("objects:\n  - name: cube\n    mass: 1\n  - {size: [1, 2]}\n", "f.yaml");
  SetYamlValue("objects.cube.mass", "2.5", "--set a", &document);
  SetYamlValue("objects.1.size.0", "7", "--set b", &document);
  SetYamlValue("gravity", "[0, 0, -1]", "--set c", &document);
  SetYamlValue("objects.cube.pose.position", "[1, 2, 3]", "--set d", &document);
  EXPECT_EQ(FindYamlNode("objects.cube.mass", "", document).text, "2.5");
  EXPECT_EQ(FindYamlNode("objects.1.size.0", "", document).text, "7");
  EXPECT_EQ(FindYamlNode("gravity.2", "", document).text, "-1");
  EXPECT_EQ(FindYamlNode("objects.0.pose.position.1", "", document).text, "2");
  EXPECT_EQ(document.Place(FindYamlNode("objects.cube.mass", "", document)), "--set a");

  const auto set = [&](const char* path, const char* value) {
    return ErrorOf([&] { SetYamlValue(path, value, "--set x", &document); });
  };
  EXPECT_EQ(set("objects.cub.mass", "1"),
            "--set x: there is no 'cub' in 'objects.cub.mass' (expected: did you mean 'cube'?)");
  EXPECT_THAT(set("objects.7.mass", "1"), HasSubstr("there is no '7'"));
  EXPECT_THAT(set("objects.cube.mass.unit", "1"), HasSubstr("there is no 'unit'"));
  EXPECT_THAT(set("a", "[1"), HasSubstr("--set x:1: this is no YAML"));
  EXPECT_THAT(set("", "1"), HasSubstr("there is no key"));
  EXPECT_THAT(set("a..b", "1"), HasSubstr("there is no ''"));
}

TEST(YamlTree, NearestNames) {
  const std::vector<std::string> names = {"friction", "restitution", "stiffness"};
  EXPECT_EQ(FindNearest("fricton", names), "friction");
  EXPECT_EQ(FindNearest("stifness", names), "stiffness");
  EXPECT_EQ(FindNearest("colour", names), "");
  EXPECT_EQ(SuggestName("colour", names), "one of 'friction', 'restitution', 'stiffness'");
}

}  // namespace
}  // namespace tactus
