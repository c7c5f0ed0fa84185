// A huge task object pushed by value would travel over the stack: only what is as large as a pointer may be pushed.
// expect: an item of a deque must be as large as a pointer
#include <filch/queue/deque.hpp>

struct large {
#ifdef FILCH_VALID
  char bytes[sizeof(void*)];
#else
  char bytes[4096];
#endif
};

filch::queue::deque<large> items;
