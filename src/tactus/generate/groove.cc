#include "tactus/generate/groove.h"

#include <cmath>

namespace tactus {

ContactProblem MakeNodeInGroove(double mass, double mu) {
  const double c = std::sqrt(0.5);
  ContactProblemBuilder builder;
  const int mesh = builder.AddSparse((mass * MatrixX::Identity(3, 3)).sparseView(), mass * Vector3(0, 1, -1));
  const BodyIndex node = builder.AddNode(mesh, 0, Vector3::Zero());
  for (const double side : {-1.0, 1.0}) {
    Matrix3 frame;
    frame << 0, 1, 0, -c, 0, side * c, side * c, 0, c;  // along, up the wall, normal
    builder.AddContact(node, kWorld, Vector3::Zero(), frame, mu, Vector3::Zero());
  }
  return builder.Build();
}

}  // namespace tactus
