// Dynamics beside those of Pinocchio (URDF) and MuJoCo (MJCF): tests/reference/golden/*.json, one test a file. How they
// were made and what is in them is said in scripts/reference/make_golden.py.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tactus/core/error.h"
#include "tactus/dynamics/forward_dynamics.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/io/mjcf.h"
#include "tactus/io/urdf.h"
#include "tests/common/model_files.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Of the golden file at hand, relative to the scale of each quantity.
double tolerance = 1e-9;

// The largest deviation of each quantity, relative to its scale, over the tests of this process; printed at its end.
std::map<std::string, double>& Deviations() {
  static std::map<std::string, double> deviations;
  return deviations;
}

class PrintDeviations : public testing::Environment {
  void TearDown() override {
    for (const auto& [what, deviation] : Deviations())
      std::printf("largest deviation of %s: %.2g\n", what.c_str(), deviation);
  }
};
[[maybe_unused]] testing::Environment* const kPrint = testing::AddGlobalTestEnvironment(new PrintDeviations);

void ExpectSmall(const std::string& what, double deviation) {
  double& largest = Deviations()[what];
  largest = std::max(largest, deviation);
  EXPECT_LE(deviation, tolerance) << what;  // false for NaN too
}

VectorX ToVector(const json& numbers) {
  VectorX x(static_cast<int>(numbers.size()));
  for (int i = 0; i < x.size(); ++i) x[i] = numbers[static_cast<std::size_t>(i)];
  return x;
}

// Entries of q and of v of our model in the order of the golden file.
struct Order {
  std::vector<int> q, v;

  Order(const Model& model, const json& joints) {
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const std::string name = joints[j];
      const int index = name.empty() ? static_cast<int>(j) : model.FindJoint(name);
      if (index < 0 || index >= static_cast<int>(model.joints().size())) throw InputError(name, "not a joint", "one");
      const ModelBody& body = model.body(model.joints()[static_cast<std::size_t>(index)].body);
      for (int k = 0; k < body.kind->nq; ++k) q.push_back(body.q + k);
      for (int k = 0; k < body.nv; ++k) v.push_back(body.v + k);
    }
  }
};

VectorX ToOurs(const VectorX& x, const std::vector<int>& order) {
  VectorX out(x.size());
  for (int i = 0; i < x.size(); ++i) out[order[static_cast<std::size_t>(i)]] = x[i];
  return out;
}

// sqrt(M_dd): what a dof's unit of velocity is in terms of energy. Quantities of dofs are compared in these units, so
// that a finger's deviation is not hidden behind a shoulder's torque. 1 where nothing moves.
VectorX EnergyScale(const Model& model, const ModelData& data) {
  VectorX scale(model.nv());
  for (int d = 0; d < model.nv(); ++d) {
    const double m = std::sqrt(std::abs(data.mass_entry(model, d, d)));
    scale[d] = m > 0 ? m : 1;
  }
  return scale;
}

double Largest(const VectorX& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

// Deviation in the given units (of forces the inverse scale, of accelerations the scale), relative to the largest of
// the expected ones or to `floor`.
double Deviation(const VectorX& got, const VectorX& expected, const VectorX& units, double floor) {
  const double scale = std::max(floor, Largest(expected.cwiseProduct(units)));
  return Largest((got - expected).cwiseProduct(units)) / scale;
}

void ExpectMassAgrees(const Model& model, const ModelData& data, const json& golden, const Order& order) {
  if (golden.contains("Mx")) {
    VectorX y;
    MultiplyMassMatrix(model, data, ToOurs(ToVector(golden["x"]), order.v), &y);
    const VectorX units = EnergyScale(model, data).cwiseInverse();
    ExpectSmall("mass matrix", Deviation(y, ToOurs(ToVector(golden["Mx"]), order.v), units, 0));
    return;
  }
  const VectorX scale = EnergyScale(model, data);
  std::size_t place = 0;
  double deviation = 0;
  for (std::size_t i = 0; i < order.v.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const int a = order.v[i], b = order.v[j];
      const double error = std::abs(data.mass_entry(model, a, b) - golden["M"][place++].get<double>());
      deviation = std::max(deviation, error / (scale[a] * scale[b]));
    }
  }
  ASSERT_EQ(place, golden["M"].size());
  ExpectSmall("mass matrix", deviation);
}

void ExpectFramesAgree(const Model& model, const ModelData& data, const json& golden, const Order& order) {
  for (const json& frame : golden["frames"]) {
    const std::string name = frame["link"];
    SCOPED_TRACE(name);
    const int link = model.FindLink(name);
    ASSERT_GE(link, 0);
    const Pose X = data.LinkPose(model, link);
    const VectorX p = ToVector(frame["position"]), R = ToVector(frame["rotation"]), J = ToVector(frame["jacobian"]);
    ExpectSmall("positions", (X.p - p).norm() / (1 + p.norm()));
    ExpectSmall("rotations", (X.R - R.reshaped<Eigen::RowMajor>(3, 3)).norm());
    const int body = model.links()[static_cast<std::size_t>(link)].body;
    Matrix6X got = Matrix6X::Zero(6, model.nv());
    if (body >= 0) CalcPointJacobian(model, data, body, X.p, &got);
    double error = 0;
    for (int i = 0; i < 6; ++i) {
      for (int d = 0; d < model.nv(); ++d) {
        error = std::max(error, std::abs(got(i, order.v[static_cast<std::size_t>(d)]) - J[i * model.nv() + d]));
      }
    }
    ExpectSmall("Jacobians", error / std::max(1.0, Largest(J)));
  }
}

void ExpectAgrees(const Model& model, const json& golden) {
  const Order order(model, golden["joints"]);
  ASSERT_EQ(static_cast<int>(order.q.size()), model.nq());
  ASSERT_EQ(static_cast<int>(order.v.size()), model.nv());
  const VectorX q = ToOurs(ToVector(golden["q"]), order.q), v = ToOurs(ToVector(golden["v"]), order.v),
                tau = ToOurs(ToVector(golden["tau"]), order.v);
  ModelData data(model);
  CalcPositions(model, q, &data);
  CalcMassMatrix(model, &data);
  ExpectMassAgrees(model, data, golden, order);
  ExpectFramesAgree(model, data, golden, order);
  const VectorX scale = EnergyScale(model, data), force_units = scale.cwiseInverse();
  // Forces that cancel (a wheel's gravity torque) are compared with those of accelerations of 1.
  const double floor = scale.maxCoeff();

  VectorX got;
  CalcBias(model, q, v, &data, &got);
  ExpectSmall("bias", Deviation(got, ToOurs(ToVector(golden["bias"]), order.v), force_units, floor));
  CalcGravityTorque(model, q, &data, &got);
  ExpectSmall("gravity torque", Deviation(got, ToOurs(ToVector(golden["gravity"]), order.v), force_units, floor));
  if (!golden.contains("acceleration")) return;
  ASSERT_TRUE(CalcForwardDynamics(model, q, v, tau, &data, &got));
  ExpectSmall("forward dynamics", Deviation(got, ToOurs(ToVector(golden["acceleration"]), order.v), scale, 0));
}

// <kind>/<set>/...: roots for meshes are the set's folder.
fs::path SetFolder(const fs::path& source) {
  auto part = source.begin();
  const fs::path kind = *part++;
  return SharedModels() / kind / *part;
}

Model LoadUrdfModel(const fs::path& file, const fs::path& root, const std::string& base) {
  UrdfSettings settings;
  settings.base = base == "floating" ? BaseType::Floating : BaseType::Fixed;
  settings.missing_meshes = MissingMeshes::Warn;
  settings.read_visual_meshes = false;
  settings.files.roots = {root.string()};
  return Model(LoadUrdf(file, settings));
}

Model LoadMjcfModel(const fs::path& file, const fs::path& root) {
  MjcfSettings settings;
  settings.mesh_mass = MeshMassRule::Volume;  // as the version of MuJoCo that made the numbers
  settings.missing_meshes = MissingMeshes::Warn;
  settings.read_visual_meshes = false;
  settings.files.roots = {root.string()};
  return Model(LoadMjcf(file, settings));
}

std::vector<std::string> GoldenNames() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(TACTUS_PROJECT_DIR) / "tests/reference/golden")) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class GoldenDynamics : public testing::TestWithParam<std::string> {};

TEST_P(GoldenDynamics, Agrees) {
  std::ifstream stream(fs::path(TACTUS_PROJECT_DIR) / "tests/reference/golden" / (GetParam() + ".json"));
  const json golden = json::parse(stream);
  const fs::path source = golden["source"].get<std::string>();
  const bool ours = *source.begin() == "models";
  const fs::path file = ours ? OurModels().parent_path() / source : SharedModels() / source;
  if (!ours && !fs::exists(file)) GTEST_SKIP() << "there is no file " << file;
  tolerance = golden.value("tolerance", 1e-9);
  const fs::path root = ours ? OurModels() : SetFolder(source);
  for (std::size_t k = 0; k < golden["cases"].size(); ++k) {
    const json& expected = golden["cases"][k];
    SCOPED_TRACE("case " + std::to_string(k));
    if (file.extension() == ".urdf") {
      ExpectAgrees(LoadUrdfModel(file, root, expected["base"]), expected);
      continue;
    }
    ExpectAgrees(LoadMjcfModel(file, root), expected);
  }
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, GoldenDynamics, testing::ValuesIn(GoldenNames()), TestName);

}  // namespace
}  // namespace tactus
