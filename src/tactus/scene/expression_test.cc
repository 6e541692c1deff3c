#include "tactus/scene/expression.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/io/temporary_folder_testing.h"

namespace tactus::scene {
namespace {

using testing::HasSubstr;

double Value(const std::string& text) {
  ExpressionScope scope;
  scope.variables = {{"n", 10}, {"x", 0.25}, {"n", 12}};
  scope.draw = [] { return 0.5; };
  scope.draw_key = [](double key) { return key / 10; };
  return EvaluateExpression(text, scope, "here");
}
std::string Error(const std::string& text) {
  return ErrorOf([&] { Value(text); });
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(Value("1 + 2 * 3"), 7);
  EXPECT_EQ(Value("(1+2)*3 - 4/2"), 7);
  EXPECT_EQ(Value("2 - 3 - 4"), -5);
  EXPECT_EQ(Value("16 / 4 / 2"), 2);
  EXPECT_EQ(Value("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(Value("-2 ^ 2"), -4);
  EXPECT_EQ(Value("2 ^ -1"), 0.5);
  EXPECT_EQ(Value("-7 % 3"), 2);
  EXPECT_EQ(Value("1e-3 + 2.5E+2"), 250.001);
  EXPECT_EQ(Value("  n * x "), 3);  // the last of a name counts
  EXPECT_EQ(Value("3 <= 3"), 1);
  EXPECT_EQ(Value("(2 > 3) + (1 != 2)"), 1);
  EXPECT_EQ(Value("-(1 - 3)"), 2);
}

TEST(Expression, Functions) {
  EXPECT_EQ(Value("ceil(n / 5)"), 3);
  EXPECT_EQ(Value("floor(-0.5)"), -1);
  EXPECT_EQ(Value("min(3, 1, 2) + max(1, 2)"), 3);
  EXPECT_EQ(Value("choose(1, 10, 20, 30)"), 20);
  EXPECT_EQ(Value("sqrt(abs(-16))"), 4);
  EXPECT_NEAR(Value("sin(pi / 6) + cos(0) + atan2(1, 1)"), 1.5 + std::atan(1), 1e-15);
  EXPECT_EQ(Value("random(2, 4)"), 3);
  EXPECT_EQ(Value("random(2, 4, 1)"), 2.2);
}

TEST(Expression, WhatChooseLeavesOutDoesNotCount) {
  ExpressionScope scope;
  scope.variables = {{"k", 1}, {"a", 2}, {"b", 3}};
  scope.draw = [] { return 0.5; };
  const auto use = [&scope](const std::string& text) {
    ExpressionUse out;
    EvaluateExpression(text, scope, "here", &out);
    return out;
  };
  EXPECT_THAT(use("choose(k, a, b)").variables, testing::ElementsAre(0, 2));
  EXPECT_THAT(use("a + choose(0, b + b, choose(k, 1, a)) * k").variables, testing::ElementsAre(1, 2, 2, 0));
  EXPECT_FALSE(use("choose(k, random(0, 1), b)").drawn);
  EXPECT_TRUE(use("choose(k, a, random(0, 1))").drawn);
  EXPECT_THAT(use("min(a, b)").variables, testing::ElementsAre(1, 2));
}

TEST(Expression, MistakesAreNamed) {
  EXPECT_THAT(Error("1 +"), HasSubstr("here: in '$(1 +)' something is missing at the end"));
  EXPECT_THAT(Error("1 2"), HasSubstr("'2' does not go on from there"));
  EXPECT_THAT(Error("(1"), HasSubstr("a ')' is missing"));
  EXPECT_THAT(Error("m"), HasSubstr("there is no 'm'"));
  EXPECT_THAT(Error("ceiling(1)"), HasSubstr("there is no function 'ceiling'"));
  EXPECT_THAT(Error("ceil()"), HasSubstr("'ceil' has 0 arguments (expected: ceil(x)"));
  EXPECT_THAT(Error("random(1)"), HasSubstr("random(least, most"));
  EXPECT_THAT(Error("1.2.3"), HasSubstr("'1.2.3' is no number"));
  EXPECT_THAT(Error("1 / 0"), HasSubstr("not finite"));
  EXPECT_THAT(Error("choose(3, 1, 2)"), HasSubstr("not finite"));
  EXPECT_THAT(Error(""), HasSubstr("something is missing"));
  EXPECT_THAT(Error("$"), HasSubstr("there is '$'"));
  EXPECT_THAT(Error(std::string(10000, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(Error(std::string(10000, '-') + "1"), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace tactus::scene
