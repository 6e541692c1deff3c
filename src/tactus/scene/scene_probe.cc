// What sensors of scenes measure.
#include "tactus/dynamics/kinematics.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/simulation/sensors.h"

namespace tactus {

const std::vector<std::string>& SensorColumns(SceneSensorType type) {
  using T = SceneSensorType;
  static const std::vector<std::string> pose = {"x", "y", "z", "qw", "qx", "qy", "qz"},
                                        velocity = {"vx", "vy", "vz", "wx", "wy", "wz"},
                                        imu = {"ax", "ay", "az", "gx", "gy", "gz"},
                                        wrench = {"fx", "fy", "fz", "mx", "my", "mz"}, joint = {"q", "v"},
                                        effort = {"effort"}, energy = {"kinetic", "potential", "elastic"},
                                        item = {"x", "y", "z", "vx", "vy", "vz"};
  switch (type) {
    case T::Pose: return pose;
    case T::Velocity: return velocity;
    case T::Acceleration: return imu;
    case T::JointState: return joint;
    case T::ContactForce:
    case T::ClampForce:
    case T::AttachmentForce:
    case T::JointWrench: return wrench;
    case T::DeformableItem: return item;
    case T::DriveEffort: return effort;
    case T::Energy: return energy;
  }
  return effort;
}

void CalcProbe(const Simulator& simulator, const SceneProbe& probe, double* out) {
  using T = SceneSensorType;
  const Model& model = simulator.model();
  switch (probe.sensor.type) {
    case T::Pose: {
      const Pose X = simulator.LinkPose(probe.link);
      const Quaternion turn(X.R);
      Eigen::Map<Eigen::Matrix<double, 7, 1>>(out) << X.p, turn.w(), turn.x(), turn.y(), turn.z();
      break;
    }
    case T::Velocity: Eigen::Map<Vector6>(out, 6) = simulator.LinkVelocity(probe.link); break;
    case T::Acceleration: {
      const ImuReading imu = CalcImu(simulator, probe.link, Pose());
      Eigen::Map<Vector6>(out) << imu.acceleration, imu.angular_velocity;
      break;
    }
    case T::JointState: {
      const ModelBody& body = model.body(model.joints()[static_cast<std::size_t>(probe.joint)].body);
      out[0] = simulator.state().q[body.q];
      out[1] = simulator.state().v[body.v];
      break;
    }
    case T::ContactForce: Eigen::Map<Vector6>(out, 6) = CalcContactWrench(simulator, probe.link); break;
    case T::JointWrench: Eigen::Map<Vector6>(out, 6) = CalcJointWrench(simulator, probe.link); break;
    case T::DriveEffort: out[0] = simulator.CalcMotorEffort(probe.joint); break;
    case T::Energy:
      out[0] = CalcKineticEnergy(model, simulator.kinematics(), simulator.state().v);
      out[1] = CalcPotentialEnergy(model, simulator.kinematics());
      out[2] = CalcElasticEnergy(simulator);
      for (int k = 0; k < simulator.deformables().size(); ++k) {
        const DeformableEnergy energy = simulator.deformables().CalcEnergy(
            k, simulator.state().deformables[static_cast<std::size_t>(k)], model.gravity());
        out[0] += energy.kinetic;
        out[1] += energy.gravity;
        out[2] += energy.elastic;
      }
      break;
    case T::ClampForce:
      Eigen::Map<Vector6>(out, 6) = CalcClampWrench(simulator, probe.deformable, probe.sensor.index);
      break;
    case T::AttachmentForce: Eigen::Map<Vector6>(out, 6) = simulator.CalcAttachmentWrench(probe.attachment); break;
    case T::DeformableItem: {
      const Deformable& body = simulator.deformables().body(probe.deformable);
      const DeformableState& state = simulator.state().deformables[static_cast<std::size_t>(probe.deformable)];
      Eigen::Map<Vector6>(out, 6) << CalcItemPose(body, state.q, probe.sensor.index).p,
          CalcItemVelocity(body, state, probe.sensor.index).head<3>();
      break;
    }
  }
}

}  // namespace tactus
