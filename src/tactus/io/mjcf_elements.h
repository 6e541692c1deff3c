// The parts of MJCF files. For mjcf*.cc only.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tactus/geometry/mass_properties.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/io/mjcf.h"
#include "tactus/io/mjcf_element.h"
#include "tactus/io/mjcf_source.h"
#include "tactus/io/warning_list.h"
#include "tactus/model/model.h"
#include "tactus/model/model_description.h"

namespace tactus::mjcf {

/// MuJoCo's smallest mass and inertia of a moving body.
inline constexpr double kSmallestMass = 1e-15;

/// <compiler>.
struct Compiler {
  Angles angles;
  bool autolimits = true;
  enum { Never, Always, Auto } inertia_from_geoms = Auto;
  long long lowest_group = 0, highest_group = 5;  ///< of geoms that give mass
  double least_mass = 0, least_inertia = 0;
  bool balance_inertia = false;
  double total_mass = -1;  ///< > 0: what all bodies are scaled to
  bool strip_path = false;
  bool fit_boxes = false;  ///< primitives that stand for meshes: by their boxes, not by their inertia
  bool exact_meshes = false;
  bool align_free = false;
  std::string mesh_folder;
};
/// `angle`, `meshdir` and so on; those of several sections add up.
void ReadCompiler(const Node& node, Compiler* compiler, WarningList* warnings);

enum class Kind { Body, Joint, Geom, Site, Camera, Light, Frame, Tendon, Actuator, Equality, Pair, Mesh, Key, Sensor };
const char* ToString(Kind kind);

/// One copy of the contents of a <replicate>, or the file's own (number -1, no suffix).
struct Replica {
  std::string suffix;
  int number = -1;
};

/// A name that an element refers to.
struct Reference {
  Kind kind;
  std::string name;
};

/// Names that are there, each once a kind.
class Names {
 public:
  /// Empty names are not kept. Returns the name with the replica's suffix.
  std::string Add(Kind kind, const XmlElement& at, std::string_view name, const Replica& replica);
  bool Has(Kind kind, const std::string& name) const { return names_.contains({kind, name}); }
  /// The copies that an element stands for that refers to these: itself if they are all there, or one for each replica
  /// of what they name. InputError if one is not there.
  std::vector<Replica> Resolve(const XmlElement& at, const std::vector<Reference>& references) const;

 private:
  std::set<std::pair<Kind, std::string>> names_;
  std::map<std::pair<Kind, std::string>, std::vector<Replica>> replicas_;  // by the name without suffixes
};

/// The meshes of <asset>. Files are read when a geom needs them.
class Meshes {
 public:
  struct Mesh {
    std::shared_ptr<const TriangleMesh> mesh;  ///< as it stands in the geom's frame
    MassProperties mass;
    bool mass_by_rule = false;  ///< the file does not say how it is meant
    bool oriented = true;       ///< its triangles agree about where outside is
    std::string file;
  };

  void Add(const Element& element, const Compiler& compiler, MeshMassRule rule, Names* names);
  bool Has(const std::string& name) const { return assets_.contains(name); }
  /// Null, with `reason`, if the file is not there or cannot be read. InputError for what is wrong inside the model.
  const Mesh* Load(const std::string& name, const std::filesystem::path& folder, const FileRoots& roots,
                   MeshLibrary* library, std::string* reason);
  const std::string& FileOf(const std::string& name) const { return assets_.at(name).file; }

 private:
  enum class Mass { Convex, Exact, Legacy, Shell };
  struct Asset {
    XmlElement at;
    std::string file;
    TriangleMesh given;  // in the model itself
    Vector3 scale = Vector3::Ones(), refpos = Vector3::Zero();
    Quaternion refquat = Quaternion::Identity();
    Mass mass = Mass::Legacy;
    bool by_rule = false, by_box = false;
    bool tried = false;
    std::string reason;
    Mesh loaded;
  };
  static void ReadGiven(const XmlElement& xml, Asset* asset);
  static void Finish(TriangleMesh mesh, Asset* asset);

  std::map<std::string, Asset> assets_;
};

/// What is known of a geom beside its shape.
struct Geom {
  XmlElement at;
  int link = -1;
  std::size_t shape = 0;
  double friction = 1;
  long long condim = 3, priority = 0;
};

/// What is known of a body beside its link.
struct Body {
  XmlElement at;
  bool has_inertial = false;
  std::vector<LinkInertia> from_geoms;
};

struct JointPlace {
  int link = -1;
  std::size_t index = 0;
};

struct TendonPlace {
  int index = -1;  ///< in the model; -1: left out
};

/// springdamper="time constant, damping ratio" of a joint, which needs the mass matrix.
struct SpringDamper {
  JointPlace joint;
  double time_constant, damping_ratio;
};

/// What reading an element needs beside the element, and what it leaves for others.
struct Context {
  const MjcfSettings* settings = nullptr;
  const FileRoots* roots = nullptr;
  MeshLibrary* library = nullptr;
  WarningList* warnings = nullptr;
  std::filesystem::path folder;  ///< of the main file
  ModelDescription* model = nullptr;
  Compiler compiler;
  Defaults defaults;
  Names names;
  Meshes meshes;
  std::set<std::string> height_fields;
  std::vector<Body> bodies;  ///< one a link
  std::vector<Geom> geoms;
  std::map<std::string, int> links;  ///< by name; the world is -1
  std::map<std::string, JointPlace> joints;
  std::map<std::string, std::size_t> geom_names, site_names;
  std::map<std::string, TendonPlace> tendons;
  std::vector<SpringDamper> spring_dampers;
  std::vector<bool> actuator_taken;    ///< of each in the file
  std::vector<bool> activation_taken;  ///< of each with an activation
  std::size_t elements = 0;            ///< of the tree, replicas counted
  int replicas = 0;

  const JointDescription& Joint(const JointPlace& place) const {
    return model->links[static_cast<std::size_t>(place.link)].joints[place.index];
  }
};

void ReadAssets(const Node& section, Context* context);

/// <worldbody>, and what is in it.
void ReadWorld(const Node& node, Context* context);
/// Inertias, names and checks that need the whole tree.
void FinishBodies(Context* context);

JointDescription ReadJoint(const Element& element, const Pose& X_LF, const JointPlace& place, Context* context);
/// Adds a shape to the link (or the world). `gives_mass`: the body's inertia comes from its geoms.
void ReadGeom(const Element& element, int link, const Pose& X_LF, const Replica& replica, bool gives_mass,
              Context* context);
/// From the two ends of `fromto` to pose and half length; none if there is no such attribute.
struct Segment {
  Pose X;
  double half_length;
};
std::optional<Segment> ReadSegment(const Element& element);
LinkInertia ReadInertial(const Node& node, const Pose& X_LF, Context* context);

void ReadContact(const Node& section, Context* context);
void ReadEquality(const Node& section, Context* context);
void ReadTendons(const Node& section, Context* context);
void ReadActuators(const std::vector<const Node*>& sections, Context* context);
void ReadSensors(const Node& section, Context* context);
void ReadKeyframes(const Node& section, const Model& model, Context* context);

/// What files give by damping ratios needs the mass matrix at the start: dampings of actuators, springs and dampers of
/// joints.
void SetByMassMatrix(Context* context);

}  // namespace tactus::mjcf
