// An element of an MJCF file together with the default classes that apply to it. For mjcf*.cc only.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/io/mjcf_source.h"
#include "tactus/io/warning_list.h"
#include "tactus/math/spatial.h"

namespace tactus::mjcf {

/// Checks the attributes of `element` against those that MJCF knows for `kind` (the tag, mostly): InputError for
/// others, warnings for those that are left out.
void CheckAttributes(const XmlElement& element, std::string_view kind, WarningList* warnings);

/// Attributes are looked up in the element, then in its default class and in those above it.
class Element {
 public:
  /// `defaults`: the nearest first.
  explicit Element(const XmlElement& xml, std::vector<XmlElement> defaults = {});

  const XmlElement& xml() const { return sources_[0]; }
  std::string name() const { return std::string(xml().Text("name")); }
  /// The nearest that has the attribute; null if none has.
  const XmlElement* Find(const char* attribute) const;
  bool Has(const char* attribute) const { return Find(attribute) != nullptr; }
  std::string_view Text(const char* attribute) const;
  double Number(const char* attribute, double otherwise) const;
  double NotNegative(const char* attribute, double otherwise) const;
  long long Integer(const char* attribute, long long otherwise) const;
  bool Bool(const char* attribute, bool otherwise) const;
  std::size_t OneOf(const char* attribute, std::initializer_list<const char*> values, std::size_t otherwise) const;
  Vector3 Vector(const char* attribute, const Vector3& otherwise) const;
  /// A vector that sums of such stay finite with.
  Vector3 Position(const char* attribute, const Vector3& otherwise) const;
  /// Fills `values` from its front. A shorter list overrides the front of what defaults further up give, as in MuJoCo.
  template <std::size_t N>
  void Numbers(const char* attribute, std::size_t least, std::array<double, N>* values) const {
    ReadNumbers(attribute, least, N, values->data());
  }
  [[noreturn]] void FailAttribute(const char* attribute, const std::string& expected) const;

  const std::vector<XmlElement>& sources() const { return sources_; }

 private:
  void ReadNumbers(const char* attribute, std::size_t least, std::size_t most, double* values) const;

  std::vector<XmlElement> sources_;
};

/// <limited> and <range> of MJCF; `autolimits` says what a range without a word about limits means.
struct Range {
  double lower, upper;
};
std::optional<Range> ReadRange(const Element& element, const char* limited, const char* range, bool autolimits);

/// The tree of default classes.
class Defaults {
 public:
  Defaults() { classes_.push_back({}); }

  /// A <default> section of the file.
  void Read(const Node& section, WarningList* warnings);

  /// The class named by an attribute of `element`, or `otherwise` if it has none. 0 is "main".
  int Find(const XmlElement& element, const char* attribute, int otherwise) const;

  /// With the defaults (all of them must have been read) of its own class, or else of `scope`, that have its tag (or
  /// `tag`).
  Element Apply(const XmlElement& element, int scope, std::string_view tag = {}) const;

  /// All default elements of a class and those above it, the nearest first.
  std::vector<XmlElement> Elements(int index) const;

 private:
  struct Class {
    int parent = -1;
    std::size_t from_main = 0;  // how many elements main had when this class was made: a class is a copy
    std::vector<XmlElement> elements;
  };
  void ReadClass(const Node& node, int index, WarningList* warnings);

  std::vector<Class> classes_;
  std::map<std::string, int, std::less<>> names_;
  int sections_ = 0;
  mutable std::map<std::pair<int, std::string>, std::vector<XmlElement>> found_;  // by class and tag, once asked for
};

/// Units and conventions of orientations.
struct Angles {
  bool degrees = true;
  std::string euler_sequence = "xyz";

  double ToRadians(double angle) const;
};

/// pos, and quat, axisangle, xyaxes, zaxis or euler.
Pose ReadPose(const Element& element, const Angles& angles);
Quaternion ReadOrientation(const Element& element, const Angles& angles);
Quaternion FromEuler(const Vector3& euler, const Angles& angles);
/// The smallest rotation that takes z to `v`, which need not be of unit length.
Quaternion RotationToVector(const Vector3& v);

}  // namespace tactus::mjcf
