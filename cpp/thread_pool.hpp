// Threads that live on between steps, so that a step costs no thread start.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace spielwerk {

class ThreadPool {
 public:
  explicit ThreadPool(int threads) : threads_(threads) {}
  ~ThreadPool() {
    if (crew_ == nullptr) return;
    if (crew_->process == getpid()) {
      crew_->stop();
    } else {
      (void)crew_.release();
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Calls work(part) for part 0 .. threads-1 and returns when all are done.
  template <class Work>
  void run(Work&& work) {
    if (threads_ == 1) return work(0);
    assemble();
    crew_->run([](void* context, int part) { (*static_cast<Work*>(context))(part); },
               const_cast<void*>(static_cast<const void*>(&work)));
  }

 private:
  using Job = void (*)(void* context, int part);

  struct Crew {
    explicit Crew(int threads) : process(getpid()) {
      try {
        for (int part = 1; part < threads; ++part)
          workers.emplace_back([this, part] { serve(part); });
      } catch (const std::system_error& error) {
        const std::size_t started = workers.size();
        stop();
        throw std::runtime_error("only " + std::to_string(started) + " of " +
                                 std::to_string(threads - 1) +
                                 " further threads could be started: " + error.what());
      }
    }

    void run(Job new_job, void* new_context) {
      job = new_job, context = new_context;
      busy.store(static_cast<int>(workers.size()), std::memory_order_relaxed);
      round.fetch_add(1, std::memory_order_release);
      round.notify_all();
      job(context, 0);
      for (int left; (left = busy.load(std::memory_order_acquire)) != 0;) busy.wait(left);
    }

    void serve(int part) {
      for (std::uint32_t seen = 0;;) {
        round.wait(seen, std::memory_order_acquire);
        seen = round.load(std::memory_order_acquire);
        if (stopping.load(std::memory_order_acquire)) return;
        job(context, part);
        if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) busy.notify_one();
      }
    }

    void stop() {
      stopping.store(true, std::memory_order_release);
      round.fetch_add(1, std::memory_order_release);
      round.notify_all();
      for (std::thread& worker : workers) worker.join();
    }

    pid_t process;
    std::atomic<std::uint32_t> round{0};
    std::atomic<int> busy{0};
    std::atomic<bool> stopping{false};
    Job job = nullptr;
    void* context = nullptr;
    std::vector<std::thread> workers;
  };

  // Threads do not survive a fork: a child process starts its own and leaves the parent's be.
  void assemble() {
    if (crew_ != nullptr && crew_->process == getpid()) return;
    (void)crew_.release();
    crew_ = std::make_unique<Crew>(threads_);
  }

  int threads_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace spielwerk
