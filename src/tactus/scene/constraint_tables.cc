// Constraints between bodies and between joints.
#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

using C = SceneConstraint;

constexpr NumberRule kPlace = {-1e6, 1e6, false, "m"};

Keys<C> Common(const char* type, const char* help) {
  Keys<C> keys(std::string("constraint_") + type, help, type);
  keys.Add("name", &C::name, Name(), "for reports");
  return keys;
}

Keys<C> Bodies(const char* type, const char* help) {
  Keys<C> keys = Common(type, help);
  keys.Add("first", &C::first, Text(), "a body").Required();
  keys.Add("second", &C::second, Text(), "another; else the world");
  keys.Add("from", &C::from, NumberOrInfinity(AnyNumber("s")), "when it begins to hold [s]");
  keys.Add("to", &C::to, NumberOrInfinity(AnyNumber("s")), "when it lets go [s]");
  return keys;
}

Keys<C> Points(const char* type, const char* help, const char* second_help) {
  Keys<C> keys = Bodies(type, help);
  keys.Add("first_point", &C::first_point, Maybe(Vector(kPlace)), "in the first's frame; else its origin [m]");
  keys.Add("second_point", &C::second_point, Maybe(Vector(kPlace)), second_help);
  return keys;
}

void ReadRatio(const Cursor& cursor, C* out) { Number(AnyNumber()).read(cursor, &out->polynomial[1]); }

void ReadPolynomial(const Cursor& cursor, C* out) {
  std::vector<double> numbers;
  Numbers(AnyNumber(), 1, 5).read(cursor, &numbers);
  out->polynomial.fill(0);
  std::copy(numbers.begin(), numbers.end(), out->polynomial.begin());
}

void CheckRange(const Cursor& cursor, C* out) {
  if (out->lower > out->upper) cursor.Fail("lower is greater than upper", "lower <= upper");
}

std::function<void(C*)> Begin(SceneConstraintType type) {
  return [type](C* out) { out->type = type; };
}

}  // namespace

const std::vector<Kind<SceneConstraint>>& ConstraintKinds() {
  using T = SceneConstraintType;
  const Codec<double> stiffness = Number(AtLeast(0)), damping = Number(AtLeast(0));
  static const std::vector<Kind<C>> kinds = {
      {Bodies("weld", "Two bodies that do not move relative to each other.")
           .Add("relative", &C::relative, Maybe(PoseCodec()), "pose of the second in the first; else as at the start"),
       Begin(T::Weld)},
      {Points("connect", "A point of one body stays at a point of another.",
              "in the second's frame; else where the first's is at the start [m]"),
       Begin(T::Connect)},
      {Points("spring", "A spring and a damper between two points.", "in the second's frame; else its origin [m]")
           .Add("stiffness", &C::stiffness, stiffness, "[N/m]")
           .Required()
           .Add("damping", &C::damping, damping, "[N s/m]")
           .Add("rest", &C::rest, Maybe(Number(AtLeast(0, "m"))), "its length without force; else as at the start [m]"),
       Begin(T::Spring)},
      {Common("joint_spring", "A spring and a damper on a joint.")
           .Add("joint", &C::joint, Text(), "of one dof")
           .Required()
           .Add("stiffness", &C::stiffness, stiffness, "[N m/rad, N/m]")
           .Required()
           .Add("damping", &C::damping, damping, "[N m s/rad, N s/m]")
           .Add("rest", &C::rest, Maybe(Angle()), "position without force; else as at the start [rad, m]"),
       Begin(T::JointSpring)},
      {Common("gear", "A joint that follows another: its way from the start is a polynomial of the other's.")
           .Add("joint", &C::joint, Text(), "of one dof")
           .Required()
           .Add("follows", &C::other_joint, Text(), "another joint of one dof")
           .Required()
           .AddRead("ratio", ReadRatio, Number(AnyNumber()).schema,
                    "way of the joint per way of the other; this or a polynomial")
           .AddRead("polynomial", ReadPolynomial, Numbers(AnyNumber(), 1, 5).schema,
                    "coefficients, the constant first; in place of ratio")
           .Finally([](const Cursor& cursor, C*) {
             if (cursor.Has("ratio") == cursor.Has("polynomial")) {
               cursor.Fail("it has no ratio, or a polynomial too", "ratio or polynomial");
             }
           }),
       Begin(T::Gear)},
      {Common("tendon", "A cable over joints: its length is a sum of coefficients times positions.")
           .Add("joints", &C::joints, MapOf(Number(AnyNumber())), "coefficients by joint [m/rad, 1]")
           .Required()
           .Add("lower", &C::lower, NumberOrInfinity(AnyNumber()), "least length [m]")
           .Add("upper", &C::upper, NumberOrInfinity(AnyNumber()), "greatest length [m]")
           .Add("stiffness", &C::stiffness, stiffness, "[N/m]")
           .Add("damping", &C::damping, damping, "[N s/m]")
           .Add("dry_friction", &C::dry_friction, Number(AtLeast(0, "N")), "[N]")
           .Add("rest", &C::rest, Maybe(Number(AnyNumber())), "length without force; else 0 [m]")
           .Finally(CheckRange),
       Begin(T::Tendon)},
      {Common("no_slip", "A wheel that rolls on the ground without slipping.")
           .Add("body", &C::first, Text(), "the wheel")
           .Required()
           .Add("radius", &C::radius, Number({0, 1e6, true, "m"}), "[m]")
           .Required()
           .Add("center", &C::first_point, Maybe(Vector(kPlace)), "of the wheel, in its frame; else its origin [m]")
           .Add("axis", &C::axis, Vector(AnyNumber()), "of the wheel, in its frame")
           .Add("normal", &C::normal, Vector(AnyNumber()), "of the ground, in the world")
           .Add("lateral", &C::lateral, Bool(), "false: it may slide sideways")
           .Finally([](const Cursor& cursor, C* out) {
             if (out->axis.norm() < 1e-9 || out->normal.norm() < 1e-9) {
               cursor.Fail("axis or normal has length zero", "directions");
             }
           }),
       Begin(T::NoSlip)},
      {Points("distance", "A rod or a rope between two points.", "in the second's frame; else its origin [m]")
           .Add("rest", &C::rest, Maybe(Number(AtLeast(0, "m"))), "length of a rod; else as at the start [m]")
           .Add("upper", &C::upper, Number(AtLeast(0, "m")), "length of a rope: the greatest distance [m]")
           .Finally([](const Cursor& cursor, C* out) {
             if (out->rest && cursor.Has("upper")) cursor.Fail("it is a rod and a rope", "rest or upper");
           }),
       Begin(T::Distance)},
  };
  return kinds;
}

}  // namespace tactus::scene
