// Problems and folders for the tests of problem files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/contact/contact_problem.h"
#include "tactus/core/work_folder.h"

namespace tactus {

/// A folder that is removed at the end of the test.
class TemporaryFolder : public testing::Test {
 protected:
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::string Path(const std::string& name) const { return (folder() / name).string(); }

 private:
  WorkFolder folder_{"test"};
};

std::vector<char> ReadBytes(const std::string& path);
void WriteBytes(const std::string& path, const std::vector<char>& bytes);

/// Every kind of subsystem, body and row, elliptic cones; contacts as geometry, or one of them as rows.
ContactProblem MakeRichProblem(bool geometric);
/// A small Delassus pair, optionally with scalar rows of all kinds.
ContactProblem MakeDelassusProblem(bool rows);
/// Isotropic contacts and equality rows only, as FCLib holds; with dynamics.
ContactProblem MakeBilateralProblem();
/// The same with the velocities eliminated.
ContactProblem MakeBilateralDelassusProblem();

/// Fails unless everything in the two is the same to the last bit.
void ExpectIdentical(const ContactProblem& a, const ContactProblem& b);

}  // namespace tactus
