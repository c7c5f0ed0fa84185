// The text of the topology_error that a call throws.
#pragma once

#include <filch/topology/error.hpp>

#include <gtest/gtest.h>

#include <string>

template <class Call>
std::string thrown_text(Call call) {
  try {
    call();
  } catch (const filch::topology::topology_error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no topology_error was thrown";
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  const bool is_there = text.find(part) != std::string::npos;
  if (!is_there) ADD_FAILURE() << "'" << part << "' is not in: " << text;
  return is_there;
}
