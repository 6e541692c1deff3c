#include "tactus/solvers/subsystem_islands.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

// Bodies 0 and 2 touch, a weld holds 2 and 5 together; all of them lie on the ground, which joins nothing.
TEST(SubsystemIslands, ContactsAndRowsJoinTheWorldDoesNot) {
  ContactProblemBuilder builder;
  for (int k = 0; k < 6; ++k) builder.AddFreeBody(Matrix6::Identity(), Vector6::Zero(), Vector3(k, 0, 0));
  for (int k = 0; k < 6; ++k) {
    builder.AddContact(k, kWorld, Vector3(k, 0, 0), Matrix3::Identity(), 0.5, Vector3::Zero());
  }
  builder.AddContact(0, 2, Vector3(1, 0, 0), Matrix3::Identity(), 0.5, Vector3::Zero());
  builder.AddBodyRow(RowLaw::Equality(), 2, 5, Vector3(3, 0, 0), Vector6::Unit(0), 0);
  SubsystemIslands islands;
  islands.Build(builder.Build());
  EXPECT_EQ(islands.num_names(), 6);
  EXPECT_EQ(islands.Find(5), 0);
  EXPECT_EQ(islands.Find(2), 0);
  EXPECT_EQ(islands.Find(0), 0);
  for (const int alone : {1, 3, 4}) EXPECT_EQ(islands.Find(alone), alone);
}

}  // namespace
}  // namespace tactus
