#include "tactus/io/mjcf_element.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

Element::Element(const XmlElement& xml, std::vector<XmlElement> defaults) : sources_(std::move(defaults)) {
  sources_.insert(sources_.begin(), xml);
}

const XmlElement* Element::Find(const char* attribute) const {
  for (const XmlElement& source : sources_) {
    if (source.Has(attribute)) return &source;
  }
  return nullptr;
}

std::string_view Element::Text(const char* attribute) const {
  const XmlElement* source = Find(attribute);
  return source == nullptr ? std::string_view() : source->Text(attribute);
}

double Element::Number(const char* attribute, double otherwise) const {
  const XmlElement* source = Find(attribute);
  return source == nullptr ? otherwise : source->RequireNumber(attribute);
}

double Element::NotNegative(const char* attribute, double otherwise) const {
  const double value = Number(attribute, otherwise);
  if (!(value >= 0)) FailAttribute(attribute, "a number >= 0");
  return value;
}

long long Element::Integer(const char* attribute, long long otherwise) const {
  const XmlElement* source = Find(attribute);
  return source == nullptr ? otherwise : source->Integer(attribute, otherwise);
}

bool Element::Bool(const char* attribute, bool otherwise) const {
  return OneOf(attribute, {"false", "true"}, otherwise ? 1 : 0) == 1;
}

std::size_t Element::OneOf(const char* attribute, std::initializer_list<const char*> values,
                           std::size_t otherwise) const {
  const XmlElement* source = Find(attribute);
  return source == nullptr ? otherwise : source->RequireOneOf(attribute, values);
}

Vector3 Element::Vector(const char* attribute, const Vector3& otherwise) const {
  const XmlElement* source = Find(attribute);
  return source == nullptr ? otherwise : source->RequireVector3(attribute);
}

Vector3 Element::Position(const char* attribute, const Vector3& otherwise) const {
  Vector3 position = Vector(attribute, otherwise);
  if (!(position.cwiseAbs().maxCoeff() < 1e50)) FailAttribute(attribute, "a position in metres");
  return position;
}

void Element::ReadNumbers(const char* attribute, std::size_t least, std::size_t most, double* values) const {
  for (auto source = sources_.rbegin(); source != sources_.rend(); ++source) {
    if (!source->Has(attribute)) continue;
    const std::vector<double> numbers = source->RequireNumbers(attribute, least, most);
    std::copy(numbers.begin(), numbers.end(), values);
  }
}

void Element::FailAttribute(const char* attribute, const std::string& expected) const {
  const XmlElement* source = Find(attribute);
  if (source == nullptr || source == sources_.data()) xml().FailAttribute(attribute, expected);
  xml().Fail(
      fmt::format("attribute '{}' is '{}' (from {})", attribute, Quote(source->Text(attribute)), source->place()),
      expected);
}

std::optional<Range> ReadRange(const Element& element, const char* limited, const char* range, bool autolimits) {
  std::array<double, 2> values = {0, 0};
  element.Numbers(range, 2, &values);
  const std::size_t mode = element.OneOf(limited, {"false", "true", "auto"}, 2);
  const bool there = values[0] != 0 || values[1] != 0;
  if (mode == 2 && there && !autolimits) {
    element.xml().Fail(fmt::format("attribute '{}' is there, but '{}' is not", range, limited),
                       fmt::format("'{}' true or false, or autolimits in <compiler>", limited));
  }
  if (mode == 0 || (mode == 2 && !there)) return std::nullopt;
  if (!(values[0] < values[1])) {
    element.xml().Fail(fmt::format("attribute '{}' is {} {}, from limits that count", range, values[0], values[1]),
                       "two numbers, the lower first");
  }
  return Range{values[0], values[1]};
}

double Angles::ToRadians(double angle) const { return degrees ? angle * (std::numbers::pi / 180) : angle; }

Quaternion RotationToVector(const Vector3& v) {
  const Vector3 direction = v.stableNormalized();
  const Vector3 axis(-direction[1], direction[0], 0);  // z x v
  const double sine = axis.norm();
  if (sine < 1e-10) return direction[2] > 0 ? Quaternion::Identity() : Quaternion(0, 1, 0, 0);
  return Quaternion(Eigen::AngleAxisd(std::atan2(sine, direction[2]), axis / sine));
}

Quaternion FromEuler(const Vector3& euler, const Angles& angles) {
  Quaternion q = Quaternion::Identity();
  for (int i = 0; i < 3; ++i) {
    // Lower case: about the axes that move along; upper case: about the fixed ones.
    const char letter = angles.euler_sequence[static_cast<std::size_t>(i)];
    const bool moving = letter >= 'x';
    const int axis = letter - (moving ? 'x' : 'X');
    const Quaternion turn(Eigen::AngleAxisd(angles.ToRadians(euler[i]), Vector3::Unit(axis)));
    q = moving ? q * turn : turn * q;
  }
  return q;
}

namespace {

constexpr const char* kOrientations[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};

// The nearest of the sources that says something about orientation, and by which attribute.
std::pair<const XmlElement*, const char*> FindOrientation(const Element& element) {
  for (const XmlElement& source : element.sources()) {
    const char* found = nullptr;
    for (const char* attribute : kOrientations) {
      if (!source.Has(attribute)) continue;
      if (found != nullptr) {
        source.Fail(fmt::format("attributes '{}' and '{}' are both there", found, attribute),
                    "at most one of quat, axisangle, xyaxes, zaxis, euler");
      }
      found = attribute;
    }
    if (found != nullptr) return {&source, found};
  }
  return {nullptr, nullptr};
}

}  // namespace

Quaternion ReadOrientation(const Element& element, const Angles& angles) {
  const auto [source, attribute] = FindOrientation(element);
  if (source == nullptr) return Quaternion::Identity();
  const std::string_view kind = attribute;
  constexpr double kSmallest = 1e-14;
  const auto direction = [&source = source, &attribute = attribute](const Vector3& v) {
    const double length = v.stableNorm();
    if (!(length > kSmallest)) source->FailAttribute(attribute, "a direction, not of length zero");
    return Vector3(v / length);
  };
  if (kind == "quat") {
    const std::vector<double> q = source->RequireNumbers("quat", 4, 4);
    const double norm = Eigen::Vector4d(q[0], q[1], q[2], q[3]).stableNorm();
    if (!(norm > kSmallest)) source->FailAttribute("quat", "a quaternion that is not zero");
    return {q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm};
  }
  if (kind == "axisangle") {
    const std::vector<double> a = source->RequireNumbers("axisangle", 4, 4);
    return Quaternion(Eigen::AngleAxisd(angles.ToRadians(a[3]), direction(Vector3(a[0], a[1], a[2]))));
  }
  if (kind == "xyaxes") {
    const std::vector<double> a = source->RequireNumbers("xyaxes", 6, 6);
    Matrix3 R;
    R.col(0) = direction(Vector3(a[0], a[1], a[2]));
    const Vector3 y = direction(Vector3(a[3], a[4], a[5]));
    const Vector3 rest = y - R.col(0) * R.col(0).dot(y);
    if (!(rest.norm() > 1e-10)) source->FailAttribute("xyaxes", "two directions that are not parallel");
    R.col(1) = rest.normalized();
    R.col(2) = R.col(0).cross(R.col(1));
    return Quaternion(R).normalized();
  }
  if (kind == "zaxis") return RotationToVector(direction(source->RequireVector3("zaxis")));
  return FromEuler(source->RequireVector3("euler"), angles);
}

Pose ReadPose(const Element& element, const Angles& angles) {
  return {ReadOrientation(element, angles).matrix(), element.Position("pos", Vector3::Zero())};
}

}  // namespace tactus::mjcf
