#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "python/src/python_model.h"
#include "tactus/core/error.h"

namespace tactus::python {

namespace {

bool SameBits(const VectorX& a, const VectorX& b) {
  return std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

}  // namespace

PyData::Use::Use(PyData* data) : data_(data) {
  if (data_->busy_.exchange(true, std::memory_order_acquire)) {
    throw std::runtime_error("data: another thread is using it (expected: one Data for each thread)");
  }
}

PyData::PyData(std::shared_ptr<const PyModel> model, SceneSimulation simulation)
    : model_(std::move(model)), simulation_(std::move(simulation)), buffers_(std::make_shared<DataBuffers>()) {
  DataBuffers& b = *buffers_;
  b.qpos = b.qvel = VectorX::Zero(0);
  b.qfrc_applied = VectorX::Zero(model_->nv());
  b.wrenches = RowMatrixX::Zero(static_cast<Eigen::Index>(model_->model().links().size()), 6);
  b.ctrl = model_->initial_control();
  b.qpos.resize(model_->nq());
  b.qvel.resize(model_->nv());
  scratch_ = simulator().state();
  for (const DeformableState& d : scratch_.deformables) {
    b.node_q.push_back(d.q);
    b.node_v.push_back(d.v);
  }
  Scatter();
}

PyData::~PyData() = default;

void PyData::Gather() {
  const DataBuffers& b = *buffers_;
  const State& state = simulator().state();
  bool same = SameBits(b.qpos, state.q) && SameBits(b.qvel, state.v);
  for (std::size_t k = 0; same && k < b.node_q.size(); ++k) {
    same = SameBits(b.node_q[k], state.deformables[k].q) && SameBits(b.node_v[k], state.deformables[k].v);
  }
  if (!same) {
    scratch_ = state;
    scratch_.q = b.qpos;
    scratch_.v = b.qvel;
    for (std::size_t k = 0; k < b.node_q.size(); ++k) {
      scratch_.deformables[k].q = b.node_q[k];
      scratch_.deformables[k].v = b.node_v[k];
    }
    CheckState(model_->model(), &scratch_);
    simulator().OverwriteState(scratch_);
  }
  WriteControl(*model_, b.ctrl.data(), &simulator());
  simulator().applied_force() = b.qfrc_applied;
  // Looked at in the simulator's own copies, which nobody changes behind our back.
  RequireFinite("qfrc_applied", simulator().applied_force().data(), model_->nv());
  CheckControl(*model_, simulator());
  GatherWrenches();
}

void PyData::GatherWrenches() {
  const bool any = !buffers_->wrenches.isZero(0);
  std::vector<Vector6>& out = simulator().control().wrenches;
  if (!any && !wrenches_set_) return;
  wrenches_set_ = any;
  for (Vector6& wrench : out) wrench.setZero();
  if (!any) return;
  const std::vector<ModelLink>& links = model_->model().links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    const Vector6 wrench = buffers_->wrenches.row(static_cast<Eigen::Index>(l));
    if (wrench.isZero(0)) continue;
    RequireFinite(fmt::format("applied_wrench[{}]", l).c_str(), wrench.data(), 6);
    Require(links[l].body >= 0, fmt::format("applied_wrench[{}]", l), "body '" + links[l].name + "' cannot move",
            "zero, or a wrench on a body that moves");
    // From the link's origin to that of the frame that moves it.
    const Pose X_WB = simulator().kinematics().BodyPose(links[l].body);
    const Vector3 arm = X_WB * links[l].X_BL.p - X_WB.p;
    Vector6& sum = out[static_cast<std::size_t>(links[l].body)];
    sum += wrench;
    sum.tail<3>() += arm.cross(wrench.head<3>());
  }
}

void PyData::Scatter() {
  DataBuffers& b = *buffers_;
  const State& state = simulator().state();
  b.qpos = state.q;
  b.qvel = state.v;
  for (std::size_t k = 0; k < b.node_q.size(); ++k) {
    b.node_q[k] = state.deformables[k].q;
    b.node_v[k] = state.deformables[k].v;
  }
  if (model_->has_controllers()) ReadControl(*model_, simulator(), b.ctrl.data());
}

void PyData::Reset() {
  simulator().RestoreTrusted(model_->start());
  buffers_->ctrl = model_->initial_control();
  buffers_->qfrc_applied.setZero();
  buffers_->wrenches.setZero();
  report_ = NoStep();
  Scatter();
}

void PyData::SetTime(double time) {
  RequireFinite("time", &time, 1);
  scratch_ = simulator().state();
  scratch_.time = time;
  simulator().OverwriteState(scratch_);
}

}  // namespace tactus::python
