// Everything of filch that exists so far.
#pragma once

#include <filch/runtime/runtime.hpp>
