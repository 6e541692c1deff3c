// Where bodies are and how they move.
#pragma once

#include "tactus/dynamics/model_data.h"

namespace tactus {

/// Frames and motion subspaces at q: enough for poses and Jacobians.
void CalcFrames(const Model& model, const ConstVectorRef& q, ModelData* data);
/// CalcFrames, and the bodies' inertias in world axes.
void CalcPositions(const Model& model, const ConstVectorRef& q, ModelData* data);
/// Velocities of bodies; positions must be known.
void CalcVelocities(const Model& model, const ConstVectorRef& v, ModelData* data);

/// What follows needs CalcPositions (CalcFrames for Jacobians and forces), and CalcVelocities where velocities appear.

/// V = [velocity of the body's point at p_W; angular velocity] = J v. `p_W` in the world [m].
void CalcPointJacobian(const Model& model, const ModelData& data, int body, const Vector3& p_W, Matrix6X* J);
/// The same into columns of a tree's dofs, the first of which is `first_dof`; other columns are left alone.
void CalcPointJacobian(const Model& model, const ModelData& data, int body, const Vector3& p_W, int first_dof,
                       Matrix6X* J);
/// [velocity; angular velocity] of a point of a body, without J.
Vector6 CalcPointVelocity(const Model& model, const ModelData& data, int body, const Vector3& p_W);
/// tau += J^T [force; moment] for a force at p_W.
void AddPointForce(const Model& model, const ModelData& data, int body, const Vector3& p_W, const Vector6& force,
                   VectorX* tau);

double CalcMovingMass(const Model& model);
/// Of everything that moves.
Vector3 CalcCenterOfMass(const Model& model, const ModelData& data);
/// [linear momentum; angular momentum about the centre of mass].
Vector6 CalcMomentum(const Model& model, const ModelData& data);
/// Armature included, which needs v.
double CalcKineticEnergy(const Model& model, const ModelData& data, const ConstVectorRef& v);
double CalcPotentialEnergy(const Model& model, const ModelData& data);

}  // namespace tactus
