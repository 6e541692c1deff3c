#include "tactus/model/joints/joints.h"

namespace tactus::joint_detail {

void TurnByQuaternion(const double* q, const FrameArrays& before, FrameArrays* after, double* S) {
  // Not taken to be of unit length: rounding and users' numbers are normalized away.
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double s = 2 / (w * w + x * x + y * y + z * z);
  const double T[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                       s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                       s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
  for (int i = 0; i < 3; ++i) {
    const double* r = before.R + 3 * i;
    for (int j = 0; j < 3; ++j) after->R[3 * i + j] = r[0] * T[j] + r[1] * T[3 + j] + r[2] * T[6 + j];
  }
  for (int k = 0; k < 3; ++k) {
    const double axis[3] = {after->R[k], after->R[3 + k], after->R[6 + k]};
    RotationColumn(axis, after->p, S + 6 * k);
  }
}

void RandomQuaternion(Random* random, double* q) {
  double square = 0;
  do {
    square = 0;
    for (int k = 0; k < 4; ++k) {
      q[k] = random->Normal();
      square += q[k] * q[k];
    }
  } while (square < 1e-6);
  const double scale = (q[0] < 0 ? -1 : 1) / std::sqrt(square);
  for (int k = 0; k < 4; ++k) q[k] *= scale;
}

void IntegrateQuaternion(double* q, const double* w) {
  StoreQuaternion((LoadQuaternion(q) * ExpRotation(Vector3(w[0], w[1], w[2]))).normalized(), q);
}

void DifferenceQuaternion(const double* q0, const double* q1, double* w) {
  const Vector3 difference = LogRotation(LoadQuaternion(q0).conjugate() * LoadQuaternion(q1));
  for (int k = 0; k < 3; ++k) w[k] = difference[k];
}

void SetZero(double* q) { q[0] = 0; }
void SetRandomAngle(Random* random, double* q) { q[0] = random->Uniform(-std::numbers::pi, std::numbers::pi); }
void AddOne(double* q, const double* v) { q[0] += v[0]; }
void SubtractOne(const double* q0, const double* q1, double* v) { v[0] = q1[0] - q0[0]; }

}  // namespace tactus::joint_detail
