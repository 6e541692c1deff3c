// What can be measured on a simulation after a step. Forces are means over the step.
#pragma once

#include "tactus/simulation/simulator.h"

namespace tactus {

/// Net contact force on the first link by the second (-1: by everything) [N], and its moment about the first link's
/// origin [N m], world axes: [force; moment].
Vector6 CalcContactWrench(const Simulator& simulator, int link, int other = -1);
/// Force on object a by object b [N], world axes.
Vector3 CalcPairForce(const Simulator& simulator, int object_a, int object_b);

/// What a sensor fixed to a link measures, in its own axes.
struct ImuReading {
  Vector3 acceleration = Vector3::Zero();      ///< of the sensor less gravity: +g upwards at rest [m/s^2]
  Vector3 angular_velocity = Vector3::Zero();  ///< [rad/s]
};
/// X_LS: the sensor in the link's frame.
ImuReading CalcImu(const Simulator& simulator, int link, const Pose& X_LS);

/// What springs store: of joints, tendons and constraints [J]. Soft contacts and drives are not among them.
double CalcElasticEnergy(const Simulator& simulator);

/// What a link feels through its joint (or weld) from its parent: [force; moment] about the joint's frame origin, in
/// the link's axes [N, N m]. This is what a wrist sensor measures.
Vector6 CalcJointWrench(const Simulator& simulator, int link);

/// What clamp c of deformable k takes to hold its items: [force; moment] on them about their mean place, world axes
/// [N, N m]. Forces of contacts on held items are not in it.
Vector6 CalcClampWrench(const Simulator& simulator, int k, int c);

}  // namespace tactus
