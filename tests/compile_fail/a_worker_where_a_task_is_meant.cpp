// expect: worker_tag
#include <filch/base/ids.hpp>

#ifdef FILCH_VALID
filch::task_id task = filch::task_id{3};
#else
filch::task_id task = filch::worker_id{3};
#endif
