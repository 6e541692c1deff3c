// Rows of tasks against finite differences.
#include "tactus/control/task.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tactus/control/robots_testing.h"
#include "tactus/core/error.h"

namespace tactus {
namespace {

TaskTerm MakeTask(const Model& model, TaskType type) {
  TaskTerm term;
  term.name = ToString(type);
  term.type = type;
  term.path.link = model.FindLink("FR_calf");
  term.path.X_LF = Pose(Eigen::AngleAxisd(0.3, Vector3(1, 2, 3).normalized()).toRotationMatrix(), {0.02, 0.01, -0.1});
  term.path.waypoints.push_back({0, {0.1, -0.2, 0.4}, ExpRotation({0.2, 0.1, -0.3})});
  term.path.waypoints.push_back({1, {0.2, -0.1, 0.3}, ExpRotation({0.1, 0.4, -0.2})});
  for (const int j : FindMotors(model)) {
    term.dofs.push_back(model.body(model.joints()[static_cast<std::size_t>(j)].body).v);
  }
  std::size_t values = type == TaskType::Height ? 1 : 3;
  if (type == TaskType::Posture) values = term.dofs.size();
  term.target.times = {0, 1};
  term.target.values = {std::vector<double>(values, 0.1), std::vector<double>(values, 0.3)};
  return term;
}

class TaskRowsTest : public testing::TestWithParam<TaskType> {
 protected:
  TaskMotion Calc(const TaskTerm& term, const VectorX& q, double time = 0.4) {
    TaskMotion out;
    out.Reserve(CountTaskRows(term), model->nv());
    ModelData data(*model);
    CalcPositions(*model, q, &data);
    const std::vector<bool> robot(static_cast<std::size_t>(model->num_bodies()), true);
    CalcTaskMotion(*model, data, q, robot, term, time, 1e-3, &out);
    return out;
  }
  std::shared_ptr<const Model> model = MakeRobot("go2", BaseType::Floating);
};
INSTANTIATE_TEST_SUITE_P(All, TaskRowsTest,
                         testing::Values(TaskType::Position, TaskType::Orientation, TaskType::Pose,
                                         TaskType::CenterOfMass, TaskType::Height, TaskType::Attitude,
                                         TaskType::Posture),
                         [](const auto& type) { return std::string(ToString(type.param)); });

// x_r stays, so that the error falls as x moves: d e/dt = -J v. Of rotations this holds where the error is small, as
// the derivative of the logarithm is the identity there only.
TEST_P(TaskRowsTest, AreDerivatives) {
  TaskTerm term = MakeTask(*model, GetParam());
  Random random(3);
  VectorX q = model->MakeRandom(&random);
  const bool turns = GetParam() == TaskType::Orientation || GetParam() == TaskType::Pose;
  ModelData data(*model);
  CalcPositions(*model, q, &data);
  const Pose X_WF = data.LinkPose(*model, term.path.link) * term.path.X_LF;
  if (turns) {
    for (Waypoint& w : term.path.waypoints) w.orientation = Quaternion(X_WF.R);
  }
  if (GetParam() == TaskType::Attitude) term.path.X_LF.R = term.path.X_LF.R * X_WF.R.transpose();
  const TaskMotion here = Calc(term, q);
  ASSERT_EQ(here.rows, CountTaskRows(term));
  VectorX v(model->nv()), moved;
  for (double& x : v) x = random.Uniform(-1, 1);
  const double step = 1e-6;
  model->Integrate(q, v, step, &moved);
  const TaskMotion forward = Calc(term, moved);
  model->Integrate(q, v, -step, &moved);
  const TaskMotion backward = Calc(term, moved);
  for (int r = 0; r < here.rows; ++r) {
    const double slope = (forward.error[r] - backward.error[r]) / (2 * step);
    EXPECT_NEAR(slope, -here.J.row(r).dot(v), 1e-7) << "row " << r;
  }
}

TEST_P(TaskRowsTest, ReferenceVelocitiesAreSlopes) {
  const TaskTerm term = MakeTask(*model, GetParam());
  if (GetParam() == TaskType::Attitude) return;  // it has no reference that moves
  const VectorX q = model->MakeNeutral();
  const double h = 1e-3;
  const TaskMotion before = Calc(term, q, 0.4 - h), at = Calc(term, q, 0.4), after = Calc(term, q, 0.4 + h);
  for (int r = 0; r < at.rows; ++r) {
    EXPECT_NEAR(at.now[r], before.next[r], 1e-12);
    EXPECT_NEAR(at.next[r], after.now[r], 1e-12);
    if (GetParam() == TaskType::Position) {
      EXPECT_NEAR(at.error[r] + h * at.next[r], after.error[r], 1e-12);
    }
  }
}

// It has no place to go to: J v is the link's spin, and the reference what the target says.
TEST_F(TaskRowsTest, SpinsAreThoseOfTheLink) {
  TaskTerm term = MakeTask(*model, TaskType::AngularVelocity);
  term.target.values = {{0.1, 0.2, 0.3}, {0.3, 0.1, 0.7}};
  ASSERT_NO_THROW(term.Validate(*model));
  Random random(5);
  const VectorX q = model->MakeRandom(&random);
  VectorX v(model->nv()), moved;
  for (double& x : v) x = random.Uniform(-1, 1);
  const auto turn = [&](double step) {
    model->Integrate(q, v, step, &moved);
    ModelData data(*model);
    CalcPositions(*model, moved, &data);
    return data.LinkPose(*model, term.path.link).R;
  };
  const double step = 1e-6;
  const Vector3 spin = LogRotation(Quaternion(Matrix3(turn(step) * turn(-step).transpose()))) / (2 * step);
  const double h = 1e-3;
  const TaskMotion all = Calc(term, q);
  ASSERT_EQ(all.rows, 3);
  for (int r = 0; r < 3; ++r) {
    const auto target = [&](double time) {
      double slope = 0;
      return term.target.Evaluate(static_cast<std::size_t>(r), time, &slope);
    };
    EXPECT_NEAR(all.J.row(r).dot(v), spin[r], 1e-7);
    EXPECT_EQ(all.error[r], 0);
    EXPECT_NEAR(all.now[r], target(0.4), 1e-12);
    EXPECT_NEAR(all.next[r], target(0.4 + h), 1e-12);
  }
  term.axes = {false, true, false};
  const TaskMotion one = Calc(term, q);
  ASSERT_EQ(one.rows, 1);
  EXPECT_EQ(one.J.row(0), all.J.row(1));
}

TEST(TaskVelocity, DecaysExponentiallyOrAsAnOscillatorWithDamping) {
  TaskTerm term;
  term.gain = 10;
  TaskMotion motion;
  motion.Reserve(1, 1);
  motion.error[0] = 0.5;
  motion.now[0] = 0.2;
  motion.next[0] = 0.25;
  EXPECT_DOUBLE_EQ(CalcTaskVelocity(term, motion, 0, 7, 1e-3), 0.25 + 10 * 0.5);  // whatever it was
  term.damping = 50;
  // v + h (a_r + kappa (alpha e + v_r - v)).
  const double v = 0.1, h = 1e-3, a = (0.25 - 0.2) / h;
  EXPECT_NEAR(CalcTaskVelocity(term, motion, 0, v, h), v + h * (a + 50 * (10 * 0.5 + 0.2 - v)), 1e-14);
}

TEST(TaskTerm, RefusesWhatMakesNoSense) {
  const std::shared_ptr<const Model> model = MakeRobot("go2", BaseType::Floating);
  const TaskTerm good = MakeTask(*model, TaskType::Position);
  EXPECT_NO_THROW(good.Validate(*model));
  const auto refuse = [&](auto change) {
    TaskTerm term = good;
    change(&term);
    EXPECT_THROW(term.Validate(*model), InputError);
  };
  refuse([](TaskTerm* t) { t->weight = 0; });
  refuse([](TaskTerm* t) { t->weight = std::numeric_limits<double>::quiet_NaN(); });
  refuse([](TaskTerm* t) { t->gain = -1; });
  refuse([](TaskTerm* t) { t->damping = 0; });
  refuse([](TaskTerm* t) { t->axes = {false, false, false}; });
  refuse([](TaskTerm* t) { t->path.link = -1; });
  refuse([](TaskTerm* t) { t->path.waypoints.clear(); });
  refuse([](TaskTerm* t) { t->from = 2, t->to = 1; });
  refuse([](TaskTerm* t) { t->type = TaskType::Height; });  // three values where one is wanted
  refuse([](TaskTerm* t) { t->dofs = {0}; });               // of the floating base
}

}  // namespace
}  // namespace tactus
