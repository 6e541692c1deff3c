// <actuator>: all kinds are the general one with some of its numbers set.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "tactus/io/mjcf_elements.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

namespace {

enum class Dynamics { None, Integrator, Filter, FilterExact, Muscle, User };
enum class Gain { Fixed, Affine, Muscle, User };
enum class Bias { None, Affine, Muscle, User };

constexpr const char* kTags[] = {"general", "motor",    "position", "velocity", "intvelocity",
                                 "damper",  "cylinder", "adhesion", "muscle"};
// Known, but left out altogether.
constexpr const char* kOtherTags[] = {"plugin", "pid", "orientation", "dcmotor", "user"};

bool IsIn(std::string_view tag, const auto& list) {
  return std::find(std::begin(list), std::end(list), tag) != std::end(list);
}

// An actuator as defaults and shortcuts change it.
struct State {
  Dynamics dynamics = Dynamics::None;
  Gain gain_type = Gain::Fixed;
  Bias bias_type = Bias::None;
  std::array<double, 10> dynprm = {1}, gainprm = {1}, biasprm = {};
  std::array<double, 6> gear = {1};
  double inherit_range = 0;
  bool control_limited = false, activation_limited = false;  // by the kind, whatever attributes say
  bool ratio = false;                                        // biasprm[2] > 0 came as one
};

class StateReader {
 public:
  StateReader(State* state, bool control_range) : state_(*state), control_range_(control_range) {}

  // One element: a default or the actuator itself.
  void Apply(const XmlElement& xml) {
    const Element element(xml);
    element.Numbers("gear", 1, &state_.gear);
    const std::string_view tag = xml.tag();
    if (tag == "general") {
      ApplyGeneral(element);
    } else if (tag == "motor") {
      state_.gainprm[0] = 1;
      Set(Dynamics::None, Gain::Fixed, Bias::None);
    } else if (tag == "position" || tag == "intvelocity") {
      ApplyPosition(element);
      if (tag == "intvelocity") {
        state_.dynamics = Dynamics::Integrator;
        state_.activation_limited = true;
      }
    } else if (tag == "velocity") {
      const double kv = element.NotNegative("kv", state_.gainprm[0]);
      state_.biasprm = {0, 0, -kv};
      state_.gainprm[0] = kv;
      Set(Dynamics::None, Gain::Fixed, Bias::Affine);
    } else if (tag == "damper") {
      state_.gainprm = {0, 0, -element.NotNegative("kv", 0)};
      state_.control_limited = true;
      Set(Dynamics::None, Gain::Affine, Bias::None);
    } else if (tag == "cylinder") {
      state_.dynprm[0] = element.NotNegative("timeconst", state_.dynprm[0]);
      state_.gainprm[0] = element.Number("area", state_.gainprm[0]);
      if (element.Has("diameter")) {
        const double diameter = element.NotNegative("diameter", 0);
        state_.gainprm[0] = std::numbers::pi / 4 * diameter * diameter;
      }
      element.Numbers("bias", 1, &state_.biasprm);
      Set(Dynamics::Filter, Gain::Fixed, Bias::Affine);
    } else if (tag == "adhesion") {
      state_.gainprm[0] = element.NotNegative("gain", state_.gainprm[0]);
      state_.control_limited = true;
      Set(Dynamics::None, Gain::Fixed, Bias::None);
    } else if (tag == "muscle") {
      element.NotNegative("tausmooth", 0);
      Set(Dynamics::Muscle, Gain::Muscle, Bias::Muscle);
    }
  }

 private:
  void Set(Dynamics dynamics, Gain gain, Bias bias) {
    state_.dynamics = dynamics;
    state_.gain_type = gain;
    state_.bias_type = bias;
  }

  void ApplyGeneral(const Element& element) {
    const auto set = [&](const char* attribute, auto values, auto* value) {
      using Enum = std::remove_pointer_t<decltype(value)>;
      *value = static_cast<Enum>(element.OneOf(attribute, values, static_cast<std::size_t>(*value)));
    };
    using List = std::initializer_list<const char*>;
    set("dyntype", List{"none", "integrator", "filter", "filterexact", "muscle", "user"}, &state_.dynamics);
    set("gaintype", List{"fixed", "affine", "muscle", "user"}, &state_.gain_type);
    set("biastype", List{"none", "affine", "muscle", "user"}, &state_.bias_type);
    element.Numbers("dynprm", 1, &state_.dynprm);
    element.Numbers("gainprm", 1, &state_.gainprm);
    element.Numbers("biasprm", 1, &state_.biasprm);
    state_.inherit_range = element.NotNegative("inheritrange", state_.inherit_range);
  }

  void ApplyPosition(const Element& element) {
    const double kp = element.Number("kp", state_.gainprm[0]);
    state_.gainprm[0] = kp;
    state_.biasprm[1] = -kp;
    if (element.Has("kv") && element.Has("dampratio")) {
      element.xml().Fail("attributes 'kv' and 'dampratio' are both there", "one of them");
    }
    if (element.Has("kv")) state_.biasprm[2] = -element.NotNegative("kv", 0);
    if (element.Has("dampratio")) state_.biasprm[2] = element.NotNegative("dampratio", 0);
    if (element.Has("timeconst")) {
      state_.dynprm[0] = element.NotNegative("timeconst", 0);
      state_.dynamics = state_.dynprm[0] == 0 ? Dynamics::None : Dynamics::FilterExact;
    }
    state_.inherit_range = element.NotNegative("inheritrange", state_.inherit_range);
    if (state_.inherit_range > 0 && control_range_) {
      element.xml().Fail("attributes 'ctrlrange' and 'inheritrange' are both there", "one of them");
    }
    state_.gain_type = Gain::Fixed;
    state_.bias_type = Bias::Affine;
  }

  State& state_;
  bool control_range_;
};

struct Actuator {
  ActuatorDescription description;
  int replica = -1;
  bool taken = true, has_activation = false;
};

class ActuatorReader {
 public:
  ActuatorReader(const XmlElement& xml, Context* context, std::vector<Actuator>* out)
      : xml_(xml), context_(*context), element_(MakeElement(xml, *context)), out_(*out) {}

  void Read() {
    std::array<double, 2> range = {0, 0};
    element_.Numbers("ctrlrange", 2, &range);
    StateReader reader(&state_, range[0] != 0 || range[1] != 0);
    const std::vector<XmlElement>& sources = element_.sources();
    for (auto source = sources.rbegin(); source != sources.rend(); ++source) reader.Apply(*source);
    FindTransmission();
    for (const Replica& copy : context_.names.Resolve(xml_, references_)) ReadCopy(copy);
  }

 private:
  static Element MakeElement(const XmlElement& xml, const Context& context) {
    std::vector<XmlElement> defaults = context.defaults.Elements(context.defaults.Find(xml, "class", 0));
    std::erase_if(defaults, [](const XmlElement& e) { return !IsIn(e.tag(), kTags); });
    return Element(xml, std::move(defaults));
  }

  void LeaveOut(const std::string& kind, const char* why, Actuator* actuator) {
    if (!actuator->taken) return;
    actuator->taken = false;
    context_.warnings->AddLeftOut(xml_, kind, why, xml_.Text("name"));
  }

  // What it acts on: one of these attributes.
  void FindTransmission() {
    static constexpr std::pair<const char*, Kind> kTransmissions[] = {
        {"joint", Kind::Joint}, {"jointinparent", Kind::Joint}, {"tendon", Kind::Tendon},
        {"site", Kind::Site},   {"body", Kind::Body},           {"cranksite", Kind::Site}};
    for (const auto& [attribute, kind] : kTransmissions) {
      if (!xml_.Has(attribute)) continue;
      if (!transmission_.empty()) {
        xml_.Fail(fmt::format("attributes '{}' and '{}' are both there", transmission_, attribute), "one to act on");
      }
      transmission_ = attribute;
      references_.push_back({kind, std::string(xml_.RequireText(attribute))});
    }
    if (transmission_.empty()) xml_.Fail("there is nothing that it acts on", "joint='...' or tendon='...'");
    if (xml_.Has("slidersite")) references_.push_back({Kind::Site, std::string(xml_.RequireText("slidersite"))});
  }

  void ReadCopy(const Replica& copy) {
    Actuator actuator;
    actuator.replica = copy.number;
    ActuatorDescription& d = actuator.description;
    d.name = context_.names.Add(Kind::Actuator, xml_, xml_.Text("name"), copy);
    const std::string target = references_[0].name + copy.suffix;
    std::optional<Range> inherited;
    if (references_[0].kind == Kind::Joint) {
      d.joint = target;
      const JointDescription& joint = context_.Joint(context_.joints.at(target));
      const int dofs = GetJointKind(joint.type).nv;
      if (dofs > 1) d.gears.assign(state_.gear.begin(), state_.gear.begin() + dofs);
      if (dofs > 1 && transmission_ == "jointinparent") {
        LeaveOut("an actuator on a joint of several dofs seen from its parent (jointinparent)", "it is not supported",
                 &actuator);
      }
      if (std::isfinite(joint.lower)) inherited = Range{joint.lower, joint.upper};
    } else if (references_[0].kind == Kind::Tendon) {
      d.tendon = target;
      const TendonPlace place = context_.tendons.at(target);
      if (place.index < 0) {
        LeaveOut("an actuator on a spatial tendon", "only fixed tendons are supported", &actuator);
      } else {
        const TendonDescription& tendon = context_.model->tendons[static_cast<std::size_t>(place.index)];
        if (std::isfinite(tendon.lower)) inherited = Range{tendon.lower, tendon.upper};
      }
    } else {
      LeaveOut(fmt::format("an actuator on a {}", transmission_ == "cranksite" ? "slider-crank" : transmission_),
               "only joints and fixed tendons are acted on", &actuator);
    }
    d.gear = state_.gear[0];
    FillForces(&actuator);
    FillRanges(inherited, &actuator);
    out_.push_back(actuator);
  }

  void FillForces(Actuator* actuator) {
    ActuatorDescription& d = actuator->description;
    const std::string_view tag = xml_.tag();
    d.type = tag == "motor"         ? ActuatorType::Motor
             : tag == "position"    ? ActuatorType::Position
             : tag == "velocity"    ? ActuatorType::Velocity
             : tag == "intvelocity" ? ActuatorType::IntegratedVelocity
                                    : ActuatorType::General;
    actuator->has_activation = state_.dynamics != Dynamics::None;
    if (tag == "muscle" || tag == "adhesion" || tag == "damper") {
      LeaveOut(fmt::format("<{}>", tag), "such actuators are not supported", actuator);
    }
    if (state_.dynamics == Dynamics::Muscle || state_.dynamics == Dynamics::User) {
      LeaveOut("an actuator with dyntype muscle or user", "it is not supported", actuator);
    }
    const bool affine_gain = state_.gain_type == Gain::Affine && (state_.gainprm[1] != 0 || state_.gainprm[2] != 0);
    if (affine_gain || state_.gain_type == Gain::Muscle || state_.gain_type == Gain::User) {
      LeaveOut("an actuator whose gain is not fixed", "it is not supported", actuator);
    }
    if (state_.bias_type == Bias::Muscle || state_.bias_type == Bias::User) {
      LeaveOut("an actuator with biastype muscle or user", "it is not supported", actuator);
    }
    if (tag == "general" && (Element(xml_).Integer("actdim", 1) > 1 || element_.Integer("actdim", 1) > 1)) {
      LeaveOut("an actuator with actdim > 1", "it is not supported", actuator);
    }
    if (element_.Bool("actearly", false) && actuator->has_activation) {
      context_.warnings->AddLeftOut(xml_, "attribute 'actearly' of <general>",
                                    "it belongs to another simulator's solver", xml_.Text("name"));
    }
    d.gain = state_.gainprm[0];
    if (state_.bias_type == Bias::Affine) std::copy_n(state_.biasprm.begin(), 3, d.bias);
    if (state_.dynamics == Dynamics::Integrator) d.activation = ActivationType::Integrator;
    if (state_.dynamics == Dynamics::Filter || state_.dynamics == Dynamics::FilterExact) {
      d.activation = ActivationType::Filter;
      d.time_constant = state_.dynprm[0];
      if (!(d.time_constant > 0) && actuator->taken) {
        xml_.Fail(fmt::format("the time constant of its filter is {:g}", d.time_constant), "a number > 0");
      }
    }
  }

  // limited and range, with what the kind says.
  std::optional<Range> ReadLimits(const char* limited, const char* range, bool always) const {
    if (!always) return ReadRange(element_, limited, range, context_.compiler.autolimits);
    std::array<double, 2> values = {0, 0};
    element_.Numbers(range, 2, &values);
    if (!(values[0] < values[1]))
      element_.FailAttribute(range, "two numbers, the lower first, for this kind of actuator");
    return Range{values[0], values[1]};
  }

  void FillRanges(const std::optional<Range>& inherited, Actuator* actuator) {
    ActuatorDescription& d = actuator->description;
    const bool inherits = state_.inherit_range > 0 && actuator->taken;
    std::optional<Range> own;
    if (inherits) {
      if (!inherited)
        xml_.Fail("attribute 'inheritrange': what it acts on has no range", "a joint or tendon with a range");
      const double middle = (inherited->lower + inherited->upper) / 2;
      const double radius = (inherited->upper - inherited->lower) / 2 * state_.inherit_range;
      own = Range{middle - radius, middle + radius};
    }
    const bool to_activation = state_.dynamics == Dynamics::Integrator;
    const bool skip_control = inherits && !to_activation;
    const auto control = skip_control ? own : ReadLimits("ctrllimited", "ctrlrange", state_.control_limited);
    const auto force = ReadRange(element_, "forcelimited", "forcerange", context_.compiler.autolimits);
    const auto activation = inherits && to_activation
                                ? own
                                : ReadLimits("actlimited", "actrange", state_.activation_limited && to_activation);
    if (activation && state_.dynamics == Dynamics::None) {
      xml_.Fail("attribute 'actrange' is there, but the actuator has no activation", "a dyntype other than none");
    }
    if (control && (xml_.tag() == "damper" || xml_.tag() == "adhesion") && control->lower < 0) {
      element_.FailAttribute("ctrlrange", "two numbers >= 0 for this kind of actuator");
    }
    const auto set = [](const std::optional<Range>& range, double* lower, double* upper) {
      if (!range) return;
      *lower = range->lower;
      *upper = range->upper;
    };
    set(control, &d.control_lower, &d.control_upper);
    set(force, &d.force_lower, &d.force_upper);
    set(activation, &d.activation_lower, &d.activation_upper);
  }

  const XmlElement xml_;
  Context& context_;
  Element element_;
  std::vector<Actuator>& out_;
  State state_;
  std::string transmission_;
  std::vector<Reference> references_;
};

}  // namespace

void ReadActuators(const std::vector<const Node*>& sections, Context* context) {
  std::vector<Actuator> all;
  for (const Node* section : sections) {
    for (const Node& child : section->children) {
      CheckAttributes(child.xml, child.tag(), context->warnings);
      if (IsIn(child.tag(), kOtherTags)) {
        context->names.Add(Kind::Actuator, child.xml, child.xml.Text("name"), {});
        context->warnings->AddLeftOut(child.xml, fmt::format("<{}> in <actuator>", child.tag()),
                                      "such actuators are not supported", child.xml.Text("name"));
        all.emplace_back();
        all.back().taken = false;
        continue;
      }
      if (!IsIn(child.tag(), kTags)) {
        child.xml.Fail("unknown element in <actuator>", fmt::format("{}", fmt::join(kTags, ", ")));
      }
      ActuatorReader(child.xml, context, &all).Read();
    }
  }
  // As in MuJoCo: those of replicas after the others, replica by replica.
  std::stable_sort(all.begin(), all.end(), [](const Actuator& a, const Actuator& b) { return a.replica < b.replica; });
  for (Actuator& actuator : all) {
    context->actuator_taken.push_back(actuator.taken);
    if (actuator.has_activation) context->activation_taken.push_back(actuator.taken);
    if (actuator.taken) context->model->actuators.push_back(std::move(actuator.description));
  }
}

}  // namespace tactus::mjcf
