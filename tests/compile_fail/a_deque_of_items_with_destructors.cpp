// expect: an item of a deque must be trivially copyable
#include <filch/queue/deque.hpp>

struct owner {
#ifndef FILCH_VALID
  ~owner() {}
#endif
  void* what;
};

filch::queue::deque<owner> items;
