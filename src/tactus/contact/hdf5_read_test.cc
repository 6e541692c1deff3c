// Files as the HDF5 library meets them: odd types, hostile sizes, corruption.
#include <hdf5.h>
#include <sys/stat.h>

#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/contact/corrupt_bytes_testing.h"
#include "tactus/contact/problem_file_testing.h"
#include "tactus/contact/problem_formats.h"
#include "tactus/core/timer.h"

namespace tactus {
namespace {

using testing::HasSubstr;

// A file written by the library itself, for what our writer never does.
class RawFile {
 public:
  explicit RawFile(const std::string& path) : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {
    links_ = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links_, 1);
  }
  ~RawFile() {
    H5Pclose(links_);
    H5Fclose(file_);
  }
  hid_t id() const { return file_; }

  // A dataset of any type; data == nullptr leaves it unwritten.
  void Add(const std::string& path, hid_t file_type, hid_t memory_type, const void* data,
           const std::vector<hsize_t>& shape, hid_t creation = H5P_DEFAULT) const {
    const hid_t space =
        shape.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file_, path.c_str(), file_type, space, links_, creation, H5P_DEFAULT);
    ASSERT_GE(dataset, 0) << path;
    if (data != nullptr) {
      EXPECT_GE(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0) << path;
    }
    H5Dclose(dataset);
    H5Sclose(space);
  }

 private:
  hid_t file_, links_;
};

class Hdf5ReadTest : public TemporaryFolder {
 protected:
  void ExpectError(const std::string& path, const std::vector<std::string>& parts) {
    try {
      ReadProblemFile(path);
      ADD_FAILURE() << "no error, expected one with " << testing::PrintToString(parts);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path));
      for (const std::string& part : parts) EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }
};

TEST_F(Hdf5ReadTest, WhatIsNoHdf5FileIsSaidSo) {
  ExpectError(Path("missing.hdf5"), {"No such file"});
  ExpectError(folder().string(), {"is a directory"});
  WriteBytes(Path("empty.hdf5"), {});
  ExpectError(Path("empty.hdf5"), {"is empty"});
  WriteBytes(Path("text.hdf5"), std::vector<char>(5000, 'x'));
  ExpectError(Path("text.hdf5"), {"is not an HDF5 file"});
  ASSERT_EQ(mkfifo(Path("pipe.hdf5").c_str(), 0600), 0);
  ExpectError(Path("pipe.hdf5"), {"is not a regular file"});
  const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  WriteBytes(Path("stub.hdf5"), std::vector<char>(signature, signature + 8));
  ExpectError(Path("stub.hdf5"), {"cannot open it"});
  { const RawFile other(Path("other.hdf5")); }
  ExpectError(Path("other.hdf5"), {"holds no contact problem", "fclib_local"});
}

TEST_F(Hdf5ReadTest, OddButValidTypesAreRead) {
  const ContactProblem problem = MakeDelassusProblem(false);
  {
    // Scalars without a shape, 64-bit, unsigned and big-endian numbers, chunks and compression.
    const RawFile file(Path("odd.hdf5"));
    const std::int64_t three = 3, six = 6, by_columns = -1;
    file.Add("/fclib_local/spacedim", H5T_STD_I64BE, H5T_NATIVE_INT64, &three, {});
    file.Add("/fclib_local/W/m", H5T_STD_U8LE, H5T_NATIVE_INT64, &six, {});
    file.Add("/fclib_local/W/n", H5T_STD_U16BE, H5T_NATIVE_INT64, &six, {1, 1});
    file.Add("/fclib_local/W/nz", H5T_STD_I8LE, H5T_NATIVE_INT64, &by_columns, {1});
    std::vector<int> start, rows;
    std::vector<double> x(36);
    for (int j = 0; j <= 6; ++j) start.push_back(6 * j);
    for (int k = 0; k < 36; ++k) rows.push_back(k % 6);
    const auto ours = [](int k) { return FromNormalFirst(k); };
    for (int k = 0; k < 36; ++k) x[k] = problem.W().coeff(ours(k % 6), ours(k / 6));
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 5;
    H5Pset_chunk(creation, 1, &chunk);
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 9);
    file.Add("/fclib_local/W/p", H5T_STD_I64BE, H5T_NATIVE_INT, start.data(), {7}, creation);
    file.Add("/fclib_local/W/i", H5T_STD_U32LE, H5T_NATIVE_INT, rows.data(), {36}, creation);
    file.Add("/fclib_local/W/x", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, x.data(), {36}, creation);
    const VectorX q = NormalFirst(problem.e());
    file.Add("/fclib_local/vectors/q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, q.data(), {6, 1});
    const float mu[2] = {0.5F, 0.25F};
    file.Add("/fclib_local/vectors/mu", H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, mu, {2});
    // Things nobody asked for do not disturb.
    const hid_t text = H5Tcopy(H5T_C_S1), pair = H5Tcreate(H5T_COMPOUND, 16);
    H5Tset_size(text, H5T_VARIABLE);
    const char* title = "a title of variable length";
    file.Add("/fclib_local/info/title", text, text, static_cast<const void*>(&title), {1});
    H5Tinsert(pair, "a", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(pair, "b", 8, H5T_NATIVE_INT64);
    const double bytes[2] = {0, 0};
    file.Add("/fclib_local/info/pairs", pair, pair, bytes, {1});
    file.Add("/elsewhere/x", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, bytes, {2});
    H5Lcreate_soft("/nowhere", file.id(), "/fclib_local/dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("/etc/passwd", "/", file.id(), "/fclib_local/outside", H5P_DEFAULT, H5P_DEFAULT);
  }
  const ProblemFile file = ReadProblemFile(Path("odd.hdf5"));
  EXPECT_EQ(file.problem.num_contacts(), 2);
  EXPECT_EQ(file.problem.name, "a title of variable length");
  EXPECT_EQ(file.problem.friction(1).mu1, 0.25);
  EXPECT_EQ(file.problem.e(), problem.e());
  EXPECT_EQ(MatrixX(file.problem.W()), MatrixX(problem.W()));
}

TEST_F(Hdf5ReadTest, ClaimsBeyondTheFileAreRefusedBeforeAnythingIsAllocated) {
  {
    const RawFile file(Path("huge.hdf5"));
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 1024;
    H5Pset_chunk(creation, 1, &chunk);
    file.Add("/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, nullptr, {hsize_t{1} << 50}, creation);
  }
  ExpectError(Path("huge.hdf5"), {"/fclib_local/vectors/q", "more than the file can"});
  {
    const RawFile file(Path("huge2.hdf5"));
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[2] = {32, 32};
    H5Pset_chunk(creation, 2, chunk);
    file.Add("/fclib_local/W/x", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, nullptr, {hsize_t{1} << 40, hsize_t{1} << 40},
             creation);
  }
  ExpectError(Path("huge2.hdf5"), {"/fclib_local/W/x", "more than the file can"});
}

TEST_F(Hdf5ReadTest, DataInOtherFilesAreNotRead) {
  {
    const RawFile file(Path("external.hdf5"));
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, "/etc/passwd", 0, 64);
    file.Add("/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, nullptr, {8}, creation);
  }
  ExpectError(Path("external.hdf5"), {"/fclib_local/vectors/q", "other files"});
}

TEST_F(Hdf5ReadTest, GroupsThatContainThemselvesEnd) {
  {
    const RawFile file(Path("loop.hdf5"));
    const int three = 3;
    file.Add("/fclib_local/spacedim", H5T_NATIVE_INT, H5T_NATIVE_INT, &three, {});
    H5Lcreate_hard(file.id(), "/fclib_local", file.id(), "/fclib_local/again", H5P_DEFAULT, H5P_DEFAULT);
  }
  ExpectError(Path("loop.hdf5"), {"nested too deeply"});
}

TEST_F(Hdf5ReadTest, CorruptFilesGiveAProblemOrAnError) {
  WriteProblemFile(Path("own.hdf5"), MakeRichProblem(true));
  WriteFclibFile(Path("fclib.hdf5"), MakeBilateralProblem());
  std::mt19937 random(2024);
  int problems = 0, errors = 0;
  double longest = 0;
  for (int k = 0; k < 200; ++k) {
    std::vector<char> bytes = ReadBytes(Path(k % 2 == 0 ? "own.hdf5" : "fclib.hdf5"));
    CorruptBytes(&random, &bytes);
    WriteBytes(Path("bad.hdf5"), bytes);
    const Timer timer;
    try {
      const ProblemFile file = ReadProblemFile(Path("bad.hdf5"));
      EXPECT_EQ(file.problem.e().size(), file.problem.size());
      ++problems;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("bad.hdf5"));
      ++errors;
    }
    longest = std::max(longest, timer.seconds());
  }
  EXPECT_LT(longest, 40);
  EXPECT_GT(errors, 20);  // the mutations do bite
  EXPECT_EQ(problems + errors, 200);
}

TEST_F(Hdf5ReadTest, ThreadsMayReadAndWriteAtOnce) {
  const ContactProblem problem = MakeDelassusProblem(true);
  std::vector<std::thread> threads;
  std::vector<int> good(3, 0);
  threads.reserve(3);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const std::string path = Path(std::to_string(t) + ".hdf5");
      for (int k = 0; k < 10; ++k) {
        WriteProblemFile(path, problem);
        if (ReadProblemFile(path).problem.e() == problem.e()) ++good[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(3, 10));
}

}  // namespace
}  // namespace tactus
