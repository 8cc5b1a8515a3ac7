// A plugin for Oclgrind: writes down every access of the kernels of one name. `./setup --full`
// builds it, `course trace` loads it, trace/accesses.rs reads what it writes.
//
// COURSE_TRACE_KERNEL  the kernel whose launches are traced
// COURSE_TRACE_FOLDER  where the files go: `accesses`, and `launches` as text
// COURSE_TRACE_BUDGET  accesses of a launch after which no further group begins
// COURSE_TRACE_MOST    accesses of a launch after which it is given up

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "Context.h"
#include "KernelInvocation.h"
#include "Memory.h"
#include "Plugin.h"
#include "WorkGroup.h"
#include "WorkItem.h"

// Kernel.h wants LLVM's headers; this is all that is needed of it.
namespace oclgrind
{
class Program
{
public:
  unsigned long getUID() const;
};
class Kernel
{
public:
  const std::string& getName() const;
  const Program* getProgram() const;
  TypedValueMap::const_iterator values_begin() const;
  TypedValueMap::const_iterator values_end() const;
};
} // namespace oclgrind

// Nor are LLVM's headers needed for these of its C interface.
extern "C"
{
  typedef struct LLVMOpaqueValue* LLVMValueRef;
  typedef struct LLVMOpaqueUse* LLVMUseRef;
  LLVMValueRef LLVMIsALoadInst(LLVMValueRef);
  LLVMValueRef LLVMIsAExtractElementInst(LLVMValueRef);
  LLVMValueRef LLVMIsAShuffleVectorInst(LLVMValueRef);
  LLVMValueRef LLVMIsAConstantInt(LLVMValueRef);
  LLVMUseRef LLVMGetFirstUse(LLVMValueRef);
  LLVMUseRef LLVMGetNextUse(LLVMUseRef);
  LLVMValueRef LLVMGetUser(LLVMUseRef);
  LLVMValueRef LLVMGetOperand(LLVMValueRef, unsigned);
  struct LLVMOpaqueType* LLVMTypeOf(LLVMValueRef);
  unsigned LLVMGetVectorSize(struct LLVMOpaqueType*);
  unsigned long long LLVMConstIntGetZExtValue(LLVMValueRef);
  unsigned LLVMGetNumMaskElements(LLVMValueRef);
  int LLVMGetMaskValue(LLVMValueRef, unsigned);
}

using namespace oclgrind;

// The list of groups that a launch runs is private, and there is no other way to run some of
// them only. The language lets explicit instantiations name what is private.
template <class Tag, typename Tag::type MEMBER> struct Opened
{
  friend typename Tag::type member(Tag)
  {
    return MEMBER;
  }
};
struct Groups
{
  using type = std::vector<Size3> KernelInvocation::*;
  friend type member(Groups);
};
template struct Opened<Groups, &KernelInvocation::m_workGroups>;

// As accesses.rs reads it. A barrier has the place 0 and nothing else but its group.
struct Access
{
  uint64_t address;
  uint32_t place, bytes, group, item;
};

// Components of a vector in memory, from the first to the last that a load is for. The compiler
// in front of the simulator loads the whole vector for one component, and four for a vector of
// three. It stores components one by one.
class Components
{
public:
  Components(const llvm::Instruction* instruction)
  {
    auto value = (LLVMValueRef)instruction;
    if (LLVMIsALoadInst(value))
      find(value);
  }

  void narrow(size_t& address, size_t& size) const
  {
    if (m_first > m_last || m_count == 0)
      return;
    size_t each = size / (m_count == 3 ? 4 : m_count);
    address += m_first * each;
    size = (m_last - m_first + 1) * each;
  }

private:
  unsigned m_first = ~0u, m_last = 0, m_count = 0;

  void add(uint64_t component)
  {
    m_first = std::min<uint64_t>(m_first, component);
    m_last = std::max<uint64_t>(m_last, component);
  }

  // All where anything else than a choice of components uses it.
  void find(LLVMValueRef vector)
  {
    for (auto use = LLVMGetFirstUse(vector); use; use = LLVMGetNextUse(use))
    {
      auto user = LLVMGetUser(use);
      bool is_one = LLVMIsAExtractElementInst(user) &&
                    LLVMIsAConstantInt(LLVMGetOperand(user, 1));
      bool are_some = LLVMIsAShuffleVectorInst(user) && LLVMGetOperand(user, 1) != vector;
      if (!is_one && !are_some)
      {
        m_count = 0;
        return;
      }
      m_count = LLVMGetVectorSize(LLVMTypeOf(vector));
      if (is_one)
        add(LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1)));
      for (unsigned i = 0; are_some && i < LLVMGetNumMaskElements(user); i++)
        if (unsigned(LLVMGetMaskValue(user, i)) < m_count)
          add(LLVMGetMaskValue(user, i));
    }
  }
};

class Trace : public Plugin
{
public:
  Trace(const Context* context) : Plugin(context)
  {
    m_kernel = variable("COURSE_TRACE_KERNEL");
    m_budget = strtoull(variable("COURSE_TRACE_BUDGET").c_str(), nullptr, 10);
    m_most = strtoull(variable("COURSE_TRACE_MOST").c_str(), nullptr, 10);
  }

  ~Trace()
  {
    if (m_accesses)
      fclose(m_accesses);
    if (m_launches)
      fclose(m_launches);
  }

  // So groups run one after another.
  bool isThreadSafe() const override
  {
    return false;
  }

  void kernelBegin(const KernelInvocation* launch) override
  {
    const Kernel* kernel = launch->getKernel();
    if (kernel->getName() != m_kernel || !open())
      return;
    // The lesson launches a kernel again to see whether its result stays the same.
    auto& groups = const_cast<KernelInvocation*>(launch)->*member(Groups());
    if (!m_seen.insert(identity(launch)).second)
      return groups.clear();
    m_groups = &groups;
    m_sides = launch->getNumGroups();
    m_all = groups.size();
    m_done = m_count = m_cut = 0;
    spread(groups);
  }

  void kernelEnd(const KernelInvocation* launch) override
  {
    if (!m_groups)
      return;
    Size3 global = launch->getGlobalSize(), local = launch->getLocalSize();
    fprintf(m_launches,
            "{\"launch\": {\"global\": [%zu, %zu, %zu], \"local\": [%zu, %zu, %zu], "
            "\"groups\": [%zu, %zu], \"records\": %zu, \"is_cut\": %s}}\n",
            global.x, global.y, global.z, local.x, local.y, local.z, m_done, m_all, m_count,
            m_cut ? "true" : "false");
    fflush(m_launches);
    fflush(m_accesses);
    m_groups = nullptr;
  }

  void workGroupComplete(const WorkGroup*) override
  {
    if (!m_groups)
      return;
    m_done++;
    if (m_count > m_budget)
      m_groups->resize(m_done);
  }

  void workGroupBarrier(const WorkGroup* group, uint32_t) override
  {
    m_copied = 0;
    if (m_groups)
      write({0, 0, 0, number(group), 0});
  }

  void memoryLoad(const Memory* memory, const WorkItem* item, size_t address,
                  size_t size) override
  {
    access("load", memory, item, address, size);
  }
  void memoryStore(const Memory* memory, const WorkItem* item, size_t address, size_t size,
                   const uint8_t*) override
  {
    access("store", memory, item, address, size);
  }
  // One that changes something loads first, so the loads are all.
  void memoryAtomicLoad(const Memory* memory, const WorkItem* item, AtomicOp, size_t address,
                        size_t size) override
  {
    access("atomic", memory, item, address, size);
  }
  // What the whole group copies is told element by element, by nobody.
  void memoryLoad(const Memory* memory, const WorkGroup* group, size_t address,
                  size_t size) override
  {
    copy("load", memory, group, address, size);
  }
  void memoryStore(const Memory* memory, const WorkGroup* group, size_t address, size_t size,
                   const uint8_t*) override
  {
    copy("store", memory, group, address, size);
    m_copied++;
  }

  // The answer to `text`, which asks for it by a message.
  void log(MessageType, const char* message) override
  {
    if (m_asks)
      m_answer = message;
  }

private:
  FILE *m_accesses = nullptr, *m_launches = nullptr;
  std::string m_kernel, m_answer;
  uint64_t m_budget, m_most;
  bool m_asks = false;
  std::vector<Size3>* m_groups = nullptr; // of the launch that is traced
  Size3 m_sides;
  size_t m_all, m_done, m_count, m_cut, m_copied = 0;
  std::set<std::string> m_seen;
  std::map<std::tuple<const llvm::Instruction*, const char*, unsigned>, uint32_t> m_places;
  std::map<const llvm::Instruction*, Components> m_components;

  // Other processes of the course open a device, too, and launch nothing.
  bool open()
  {
    if (!m_accesses)
    {
      std::string folder = variable("COURSE_TRACE_FOLDER");
      m_accesses = fopen((folder + "/accesses").c_str(), "wb");
      m_launches = fopen((folder + "/launches").c_str(), "w");
      if (m_launches)
        fputs("trace 4\n", m_launches); // the form of these files, which accesses.rs knows
    }
    return m_accesses && m_launches;
  }

  static std::string variable(const char* name)
  {
    const char* value = getenv(name);
    return value ? value : "";
  }

  // What tells a launch from others: program, sides, arguments.
  static std::string identity(const KernelInvocation* launch)
  {
    const Kernel* kernel = launch->getKernel();
    std::ostringstream all;
    all << kernel->getProgram()->getUID() << launch->getGlobalSize() << launch->getLocalSize();
    for (auto value = kernel->values_begin(); value != kernel->values_end(); value++)
    {
      const TypedValue& argument = value->second;
      if (argument.data)
        all.write((const char*)argument.data, argument.size * argument.num);
      all << ' ';
    }
    return all.str();
  }

  // Groups from all over the range come first: steps of the golden ratio never crowd.
  static void spread(std::vector<Size3>& groups)
  {
    const std::vector<Size3> all = groups;
    size_t step = size_t(all.size() * 0.6180339887) | 1;
    auto divisor = [](size_t a, size_t b) {
      while (b)
        std::swap(a %= b, b);
      return a;
    };
    while (divisor(all.size(), step) != 1)
      step++;
    for (size_t i = 0; i < all.size(); i++)
      groups[i] = all[i * step % all.size()];
  }

  void access(const char* kind, const Memory* memory, const WorkItem* item, size_t address,
              size_t size)
  {
    if (!m_groups)
      return;
    unsigned space = memory->getAddressSpace();
    // As written every variable is in memory; only arrays and structures are looked at.
    if (space == AddrSpacePrivate)
    {
      bool is_whole = length(memory, address) <= size;
      if (is_whole && memory->isAddressValid(address, size))
        return;
    }
    Size3 local = item->getLocalID(), sides = item->getWorkGroup()->getGroupSize();
    uint32_t linear = local.x + sides.x * (local.y + sides.y * local.z);
    uint32_t at = place(item->getCurrentInstruction(), kind, space);
    const llvm::Instruction* instruction = item->getCurrentInstruction();
    m_components.try_emplace(instruction, instruction).first->second.narrow(address, size);
    write({address, at, uint32_t(size), number(item->getWorkGroup()), linear});
  }

  void copy(const char* kind, const Memory* memory, const WorkGroup* group, size_t address,
            size_t size)
  {
    if (!m_groups)
      return;
    Size3 sides = group->getGroupSize();
    uint32_t item = m_copied % (sides.x * sides.y * sides.z);
    uint32_t at = place(group->getCurrentBarrier(), kind, memory->getAddressSpace());
    write({address, at, uint32_t(size), number(group), item});
  }

  // The bytes of the array at this address; 0 where there is none.
  static size_t length(const Memory* memory, size_t address)
  {
    size_t begin = address - memory->extractOffset(address);
    return memory->isAddressValid(begin) ? memory->getBuffer(begin)->size : 0;
  }

  // getGroupIndex() gives several groups the same one.
  uint32_t number(const WorkGroup* group) const
  {
    Size3 id = group->getGroupID();
    return id.x + m_sides.x * (id.y + m_sides.y * id.z);
  }

  void write(const Access& access)
  {
    fwrite(&access, sizeof access, 1, m_accesses);
    if (++m_count > m_most)
    {
      m_cut = 1;
      m_groups->clear();
      throw FatalError("more accesses than are traced", __FILE__, __LINE__);
    }
  }

  // The number of what an instruction does, from 1; new ones are written down.
  uint32_t place(const llvm::Instruction* instruction, const char* kind, unsigned space)
  {
    auto known = m_places.emplace(std::make_tuple(instruction, kind, space), m_places.size() + 1);
    uint32_t number = known.first->second;
    if (known.second)
    {
      // So the simulator tells where it stands; of another file than the kernel's it has no place.
      std::string told = text(instruction);
      size_t begins = std::min(told.find("At line "), told.size());
      unsigned line = 0, column = 0;
      int length = 0;
      sscanf(told.c_str() + begins, "At line %u (column %u) of input.cl:%n", &line, &column,
             &length);
      fprintf(m_launches,
              "{\"place\": {\"kind\": \"%s\", \"memory\": \"%s\", \"line\": %u, "
              "\"column\": %u}}\n",
              kind, getAddressSpaceName(space), length ? line : 0, length ? column : 0);
    }
    return number;
  }

  std::string text(const llvm::Instruction* instruction)
  {
    Context::Message message(INFO, m_context);
    message << instruction;
    m_asks = true;
    message.send();
    m_asks = false;
    return m_answer;
  }
};

static Trace* trace = nullptr;

extern "C" void initializePlugins(Context* context)
{
  trace = new Trace(context);
  context->registerPlugin(trace);
}

extern "C" void releasePlugins(Context* context)
{
  context->unregisterPlugin(trace);
  delete trace;
}
