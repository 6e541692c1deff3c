// The tables of keys of scene files. For scene/ only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tactus/io/file_roots.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/scene/scene_description.h"
#include "tactus/scene/scene_file.h"
#include "tactus/scene/scene_keys.h"

namespace tactus::scene {

/// What reading needs beside the file.
struct Context {
  const SceneFileSettings* settings = nullptr;
  const FileRoots* roots = nullptr;
  MeshLibrary* meshes = nullptr;
  std::filesystem::path folder;       ///< of the scene file
  SceneDescription* scene = nullptr;  ///< so far: materials come first
};

// Parts that several tables use.
Codec<Pose> PoseCodec();
/// A name of the scene's materials, or keys of one.
Codec<Material> MaterialCodec();

const Keys<Material>& MaterialKeys();
const Keys<SceneObject>& ObjectKeys();
const Keys<SceneModel>& ModelKeys();
const std::vector<Kind<SceneDeformable>>& DeformableKinds();
const std::vector<Kind<SceneConstraint>>& ConstraintKinds();
const std::vector<Kind<SceneController>>& ControllerKinds();
const std::vector<Kind<SceneTask>>& TaskKinds();
/// "xz": these world axes.
Codec<std::array<bool, 3>> AxesCodec();
const Keys<SceneCable>& CableKeys();
const Keys<SceneCavity>& CavityKeys();
const Keys<SceneMotor>& MotorKeys();
const Keys<SceneSoftTask>& SoftTaskKeys();
const Keys<SceneDrive>& DriveKeys();
const Keys<SceneWaypoint>& PathPointKeys();
const Keys<SceneWrench>& WrenchKeys();
const std::vector<Kind<SceneSensor>>& SensorKinds();
const std::vector<Kind<SceneGoal>>& GoalKinds();
const Keys<SceneDescription>& SceneKeys();
/// Which nodes or segments a goal is about.
const Keys<SceneGoal>& GoalPartKeys();

/// A shape as the file has it: which keys there are depends on its kind.
struct ShapeValues {
  ShapeInstance instance;
  double radius = 0, length = 0;
  Vector3 size = Vector3::Zero();
  std::string file;
  Vector3 scale = Vector3::Ones();
  bool concave = false;
  std::vector<std::vector<double>> heights;
  // Of fields.
  double base_radius = 0, rim_radius = 0, height = 0, thickness = 0, edge = 0;
  std::vector<std::vector<double>> profile;
  double diameter = 0, pitch = 0, across_flats = 0, clearance = 1e-4;
  bool hexagon = true;
  int cells = 64;
};

/// One kind of shape: its keys, and what makes a Shape of them.
struct ShapeKind {
  Keys<ShapeValues> keys;
  void (*make)(const Cursor& cursor, const ShapeValues& values, Shape* shape);
};
/// A new kind is one line there, and a function.
const std::vector<ShapeKind>& ShapeKinds();
Codec<ShapeInstance> ShapeCodec();

/// velocity: {linear, angular}.
void ReadVelocity(const Cursor& cursor, Vector3* linear, Vector3* angular);

/// By path, on the values of the file before they are read.
struct RandomizeValues {
  std::string path;
  std::vector<double> uniform, normal, scale;
};
const Keys<RandomizeValues>& RandomizeKeys();

/// A URDF or MJCF file, told by its contents.
ModelDescription LoadModelFile(const std::filesystem::path& file, const SceneFileSettings& settings);

/// Throws where names that the scene refers to do not exist, with their line. When all else is read.
void CheckReferences(const Cursor& root, const SceneDescription& scene);

const TableInfo& PoseTable();
/// Of objects and of what is in them.
std::vector<const TableInfo*> ObjectTables();
/// Of deformables and of what is in them.
std::vector<const TableInfo*> DeformableTables();
/// Of motions, which clamps have too.
Codec<SceneMotion> MotionCodec();
/// All tables, for the schema; the scene itself first.
std::vector<const TableInfo*> AllTables();

}  // namespace tactus::scene
