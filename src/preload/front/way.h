// Which way a call goes that arrived at a hook.

#ifndef WINNOW_SRC_PRELOAD_FRONT_WAY_H_
#define WINNOW_SRC_PRELOAD_FRONT_WAY_H_

#include "src/preload/interposer.h"

namespace winnow::preload {

struct Way {
  void* stock;  // the definition that the caller would have got without us; null: there is none
  void*
      handler;  // of the plugin, if that definition is of the RocksDB that it is bound to, or null
};

// `caller` is the address to which the hook will return, or any other in the object that has the
// linker look for the function. Says what is due on stderr. Safe from any
// thread; nothing throws.
Way FindWay(Hook hook, const void* caller) noexcept;

// Where WINNOW_LOG is 1: that the call can't be answered, as no RocksDB is loaded. Who calls has
// asked the linker for the function and found our hook.
void SayThatNobodyAnswers(Hook hook) noexcept;

// What such a call gives.
template <typename Result>
Result Nothing() noexcept {
  if constexpr (std::is_pointer_v<Result>) {
    return nullptr;
  } else {
    return Result::NotSupported();
  }
}

// Makes the call in the place of the hook's caller.
template <Hook hook, typename Function = typename Signature<hook>::Type>
struct Forward;
template <Hook hook, typename Result, typename... Parameters>
struct Forward<hook, Result(Parameters...)> {
  static Result Call(const void* caller, Parameters... parameters) {
    using Stock = Result(Parameters...);
    const Way way = FindWay(hook, caller);
    auto* const stock = reinterpret_cast<Stock*>(way.stock);
    if (way.handler != nullptr) {
      return reinterpret_cast<Handler<hook>*>(way.handler)(stock, parameters...);
    }
    if (stock != nullptr) {
      return stock(parameters...);
    }
    SayThatNobodyAnswers(hook);
    return Nothing<Result>();
  }
};

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_WAY_H_
