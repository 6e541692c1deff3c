// Which attributes MJCF has, and what becomes of them here. Those of MuJoCo 2 to 4 are known.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tactus/io/mjcf_element.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

namespace {

// Lists of attributes of one kind of element: those that are read, those of its looks, and those that are left out with
// a warning each (the reasons are in kReasons).
struct Kind {
  const char* name;
  const char* read;
  const char* look;
  const char* left_out;
};

#define TACTUS_ORIENTATION " quat axisangle xyaxes zaxis euler "
#define TACTUS_TRANSMISSION                                                                                        \
  " name class joint jointinparent tendon site body cranksite slidersite gear ctrllimited ctrlrange forcelimited " \
  "forcerange "
#define TACTUS_ACTUATOR_LEFT_OUT \
  " refsite cranklength lengthrange user delay nsample interp damping armature plugin instance "

constexpr Kind kKinds[] = {
    {"compiler",
     "angle eulerseq autolimits inertiafromgeom inertiagrouprange boundmass boundinertia balanceinertia settotalmass "
     "coordinate meshdir assetdir strippath fusestatic exactmeshinertia fitaabb alignfree discardvisual usethread "
     "convexhull saveinertial savecanonical savecompiled passthrough conflict",
     "texturedir", ""},
    {"option", "timestep gravity cone", "",
     "integrator solver iterations tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance "
     "mpr_iterations "
     "mpr_tolerance ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints jacobian impratio collision apirate "
     "density viscosity wind magnetic o_margin o_solref o_solimp o_friction actuatorgroupdisable sleep_tolerance"},
    {"size", "nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon nuser_actuator nuser_sensor", "",
     "memory njmax nconmax nstack nuserdata nkey"},
    {"default", "class", "", ""},
    {"mesh", "name class file vertex face scale refpos refquat inertia builtin",
     "normal texcoord material smoothnormal", "content_type maxhullvert params octree_maxdepth"},
    {"hfield", "name file nrow ncol size elevation", "", "content_type"},
    {"body", "name childclass pos mocap" TACTUS_ORIENTATION, "", "gravcomp user sleep simple fuse"},
    {"worldbody", "childclass", "", "name"},
    {"frame", "name childclass pos" TACTUS_ORIENTATION, "", ""},
    {"replicate", "count offset euler sep childclass", "", ""},
    {"inertial", "pos mass diaginertia fullinertia" TACTUS_ORIENTATION, "", ""},
    {"joint",
     "name class type pos axis range limited ref springref stiffness damping armature frictionloss springdamper "
     "actuatorfrcrange actuatorfrclimited",
     "group", "margin solreflimit solimplimit solreffriction solimpfriction actuatorgravcomp user springyield"},
    {"freejoint", "name align", "group", "user"},
    {"geom",
     "name class type size pos fromto mesh hfield mass density shellinertia friction condim contype conaffinity "
     "priority fitscale group" TACTUS_ORIENTATION,
     "rgba material castshadow", "solref solimp solmix margin gap fluidshape fluidcoef user surfacevel adhesion"},
    {"site", "name class pos fromto" TACTUS_ORIENTATION, "type size group material rgba mesh", "user"},
    {"pair", "name class geom1 geom2 friction condim", "", "solref solimp solreffriction margin gap adhesion"},
    {"exclude", "name body1 body2", "", ""},
    {"default equality", "active", "", "solref solimp"},
    {"connect", "name class active body1 body2 site1 site2 anchor", "", "solref solimp"},
    {"weld", "name class active body1 body2 site1 site2 anchor relpose", "", "solref solimp torquescale"},
    {"equality joint", "name class active joint1 joint2 polycoef", "", "solref solimp"},
    {"equality tendon", "name class active tendon1 tendon2 polycoef", "", "solref solimp"},
    {"default tendon", "limited range springlength stiffness damping frictionloss", "group width material rgba",
     "solreflimit solimplimit solreffriction solimpfriction margin armature user actuatorfrcrange actuatorfrclimited "
     "springyield"},
    {"fixed", "name class limited range springlength stiffness damping frictionloss", "group width material rgba",
     "solreflimit solimplimit solreffriction solimpfriction margin armature user actuatorfrcrange actuatorfrclimited "
     "springyield"},
    {"spatial", "name class limited range springlength stiffness damping frictionloss", "group width material rgba",
     "solreflimit solimplimit solreffriction solimpfriction margin armature user actuatorfrcrange actuatorfrclimited "
     "springyield"},
    {"general",
     TACTUS_TRANSMISSION "dyntype dynprm gaintype gainprm biastype biasprm actlimited actrange inheritrange actearly "
                         "actdim",
     "group", TACTUS_ACTUATOR_LEFT_OUT "velrange ffrange input"},
    {"motor", TACTUS_TRANSMISSION, "group", TACTUS_ACTUATOR_LEFT_OUT},
    {"position", TACTUS_TRANSMISSION "kp kv dampratio timeconst inheritrange", "group", TACTUS_ACTUATOR_LEFT_OUT},
    {"velocity", TACTUS_TRANSMISSION "kv", "group", TACTUS_ACTUATOR_LEFT_OUT},
    {"intvelocity", TACTUS_TRANSMISSION "kp kv dampratio inheritrange actlimited actrange", "group",
     TACTUS_ACTUATOR_LEFT_OUT},
    {"damper", TACTUS_TRANSMISSION "kv", "group", TACTUS_ACTUATOR_LEFT_OUT},
    {"cylinder", TACTUS_TRANSMISSION "timeconst area diameter bias", "group", TACTUS_ACTUATOR_LEFT_OUT},
    {"adhesion", TACTUS_TRANSMISSION "gain", "group", TACTUS_ACTUATOR_LEFT_OUT},
    {"muscle", TACTUS_TRANSMISSION "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax", "group",
     TACTUS_ACTUATOR_LEFT_OUT},
    {"key", "name time qpos qvel act ctrl", "", "mpos mquat plastic"},
};

#undef TACTUS_ORIENTATION
#undef TACTUS_TRANSMISSION
#undef TACTUS_ACTUATOR_LEFT_OUT

// Why attributes are left out, and the value with which that changes nothing.
struct Reason {
  const char* attributes;
  const char* harmless;
  const char* text;
};
constexpr Reason kReasons[] = {
    {"solref solimp solmix solreflimit solimplimit solreffriction solimpfriction torquescale", nullptr,
     "contacts, limits and equalities are rigid here, there is no softness to set"},
    {"margin gap", "0", "contacts and limits begin at distance zero"},
    {"user", nullptr, "user data has no meaning here"},
    {"fluidshape", "none", "there is no fluid around the bodies"},
    {"fluidcoef density viscosity wind", "0", "there is no fluid around the bodies"},
    {"magnetic", nullptr, "there are no magnetometers"},
    {"gravcomp", "0", "gravity is not compensated"},
    {"actuatorgravcomp", "false", "gravity is not compensated"},
    {"surfacevel adhesion", nullptr, "surfaces neither move nor adhere"},
    {"springyield", nullptr, "springs do not yield"},
    {"lengthrange", nullptr, "it belongs to muscles"},
    {"delay nsample interp", "0", "actuators act without delay"},
    {"integrator solver iterations tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance "
     "mpr_iterations mpr_tolerance ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints jacobian impratio "
     "collision apirate sleep_tolerance",
     nullptr, "it belongs to another simulator's solver"},
    {"o_margin o_solref o_solimp o_friction", nullptr, "it belongs to another simulator's solver"},
    {"memory njmax nconmax nstack nuserdata nkey", nullptr, "memory is taken as it is needed"},
    {"mpos mquat", nullptr, "mocap bodies do not move here"},
    {"armature", "0", "only joints have an armature here"},
    {"damping", "0", "only joints and tendons are damped here"},
    {"cranklength", nullptr, "slider-cranks are not supported"},
    {"refsite", nullptr, "actuators on sites are not supported"},
    {"actuatorfrcrange actuatorfrclimited", nullptr, "forces on tendons are not limited"},
};

enum class Treatment { Read, Look, LeftOut };
using Attributes = std::map<std::string_view, Treatment>;

void AddWords(std::string_view words, Treatment treatment, Attributes* attributes) {
  for (std::string_view word = TakeToken(&words); !word.empty(); word = TakeToken(&words)) {
    attributes->emplace(word, treatment);
  }
}

const std::map<std::string_view, Attributes>& AllKinds() {
  static const auto* const kAll = [] {
    auto* all = new std::map<std::string_view, Attributes>;
    for (const Kind& kind : kKinds) {
      Attributes& attributes = (*all)[kind.name];
      AddWords(kind.read, Treatment::Read, &attributes);
      AddWords(kind.look, Treatment::Look, &attributes);
      AddWords(kind.left_out, Treatment::LeftOut, &attributes);
    }
    return all;
  }();
  return *kAll;
}

const Reason* FindReason(std::string_view attribute) {
  for (const Reason& reason : kReasons) {
    std::string_view words = reason.attributes;
    for (std::string_view word = TakeToken(&words); !word.empty(); word = TakeToken(&words)) {
      if (word == attribute) return &reason;
    }
  }
  return nullptr;
}

// Every token of the text is the harmless one, as a word or as a number.
bool IsHarmless(std::string_view text, std::string_view harmless) {
  const auto number = ParseNumber(harmless);
  for (std::string_view token = TakeToken(&text); !token.empty(); token = TakeToken(&text)) {
    if (token != harmless && !(number && ParseNumber(token) == number)) return false;
  }
  return true;
}

std::string ListOf(const Attributes& attributes) {
  std::vector<std::string_view> names;
  for (const auto& [name, treatment] : attributes) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void CheckAttributes(const XmlElement& element, std::string_view kind, WarningList* warnings) {
  const auto found = AllKinds().find(kind);
  if (found == AllKinds().end()) return;  // left out altogether
  for (const std::string_view name : element.AttributeNames()) {
    const auto known = found->second.find(name);
    if (known == found->second.end()) {
      element.Fail(fmt::format("unknown attribute '{}'", Quote(name)), fmt::format("{}", ListOf(found->second)));
    }
    if (known->second == Treatment::Read) continue;
    if (known->second == Treatment::Look) {
      warnings->AddLeftOut(element, "the look of things (colours, materials, sizes of sites, groups)",
                           "only what moves and collides is read", {});
      continue;
    }
    const Reason* reason = FindReason(name);
    const std::string attribute(name);
    if (reason != nullptr && reason->harmless != nullptr &&
        IsHarmless(element.Text(attribute.c_str()), reason->harmless)) {
      continue;
    }
    warnings->AddLeftOut(element, fmt::format("attribute '{}' of <{}>", attribute, element.tag()),
                         reason == nullptr ? "it has no meaning here" : reason->text, element.Text("name"));
  }
}

}  // namespace tactus::mjcf
