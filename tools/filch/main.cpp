#include <exception>
#include <iostream>

#include "command_line.hpp"
#include "errors.hpp"
#include "output.hpp"

int main(int count, char** words) {
  using namespace filch::tool;
  const terminal_guard guard_of_output{std::cout};
  const terminal_guard guard_of_errors{std::cerr};
  try {
    run_command_line(count, words);
    std::cout.flush();
    if (!std::cout) throw failure("standard output could not be written");
    return k_exit_ok;
  } catch (const program_ended& ended) {
    return ended.code;
  } catch (const bad_usage& problem) {
    std::cerr << "filch: " << problem.what() << "\n";
    return k_exit_usage;
  } catch (const deadlock& problem) {
    std::cout.flush();
    std::cerr << "filch: " << problem.what() << "\n";
    return k_exit_deadlock;
  } catch (const cut_off& problem) {
    std::cout.flush();
    std::cerr << "filch: " << problem.what() << "\n";
    return k_exit_cut_off;
  } catch (const std::exception& problem) {
    std::cerr << "filch: " << problem.what() << "\n";
    return k_exit_failure;
  }
}
