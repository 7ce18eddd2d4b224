// lint_rules.c: the names of functions that break determinism. Those whose result IEEE 754 fixes (sqrt, fabs, floor, fmod, ldexp, fma, ...) are
// left out on purpose, and so is what only moves bytes (memcpy, strlen).
#include "lint_rules.h"

#include <string.h>

#define LINT_KIND_TEXT(name, text, why, advice) { text, why, advice },
const LintKindText lint_kinds[LINT_KIND_COUNT] = { LINT_KINDS(LINT_KIND_TEXT) };

LintKind lint_kind_of(const char *name, size_t size)
{
    LintKind kind = 0;
    while (kind < LINT_KIND_COUNT && (strncmp(lint_kinds[kind].name, name, size) != 0 || lint_kinds[kind].name[size] != '\0')) {
        kind++;
    }
    return kind;
}

// Words between spaces; a star at a word's end stands for any rest.
typedef struct {
    LintKind    kind;
    LintLevel   level;
    const char *names;
} ImportRule;

// Each also as float (sinf), long double (sinl), and as glibc's fast ones (__sin_finite).
static const char libm_names[] =
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp10 exp2 expm1 hypot j0 j1 jn lgamma lgamma_r lgammaf_r lgammal_r log log10 "
    "log1p log2 pow pow10 sin sincos sinh tan tanh tgamma gamma y0 y1 yn sinpi cospi tanpi asinpi acospi atanpi atan2pi exp2m1 exp10m1 log2p1 log10p1 "
    "cexp clog clog10 cpow csqrt csin ccos ctan csinh ccosh ctanh casin cacos catan casinh cacosh catanh cabs carg";

static const ImportRule rules[] = {
    // Several at once, as a compiler with -ffast-math calls them. (C++ guards of static variables go on with a large letter or a digit.)
    { LINT_KIND_LIBM, LINT_ERROR, "_ZGVb* _ZGVc* _ZGVd* _ZGVe* _ZGVn* _ZGVs* __svml_* amd_vr*" },
    { LINT_KIND_CLOCK, LINT_ERROR,
      "time clock_gettime clock_getres gettimeofday clock times ftime timespec_get mach_absolute_time getrusage "
      "_ZNSt6chrono* QueryPerformanceCounter GetTickCount* SDL_GetTicks* uv_hrtime uv_now" },
    { LINT_KIND_CLOCK, LINT_WARNING,
      "localtime localtime_r gmtime gmtime_r mktime strftime ctime ctime_r asctime tzset sleep usleep nanosleep clock_nanosleep timer_create timerfd_*" },
    { LINT_KIND_ENTROPY, LINT_ERROR,
      "rand srand rand_r random srandom random_r srandom_r initstate setstate drand48* erand48* lrand48* nrand48* mrand48* jrand48* srand48* "
      "arc4random* getrandom getentropy RAND_bytes randombytes_* _ZNSt13random_device* uuid_generate* mkstemp mkstemp64 tmpnam" },
    { LINT_KIND_LOCALE, LINT_ERROR, "setlocale uselocale newlocale duplocale localeconv nl_langinfo* _ZNSt6locale*" },
    { LINT_KIND_LOCALE, LINT_WARNING,
      "strtod* strtof* strtold* atof sprintf snprintf vsprintf vsnprintf asprintf vasprintf __sprintf_chk __snprintf_chk __vsprintf_chk __vsnprintf_chk "
      "sscanf vsscanf __isoc99_sscanf __isoc99_vsscanf __isoc23_sscanf strcoll* strxfrm* strcasecmp strncasecmp toupper tolower isalpha isalnum isdigit "
      "isspace isupper islower ispunct isprint towupper towlower isw* wcstod* wcscoll* mbstowcs mbrtowc wcrtomb wcstombs __ctype_b_loc "
      "__ctype_tolower_loc __ctype_toupper_loc fcvt ecvt gcvt strfrom* _ZNSt7__cxx1119basic_* _ZNSo9_M_insert* _ZNSi10_M_extract*" },
    { LINT_KIND_ENVIRONMENT, LINT_ERROR,
      "getenv secure_getenv setenv putenv unsetenv environ __environ getcwd gethostname uname sysconf getpid getppid gettid getuid geteuid getgid "
      "isatty ttyname getlogin getpwuid* getauxval sched_getcpu get_nprocs* getpagesize sysinfo getloadavg pthread_self __pthread_self "
      "_ZNSt6thread20hardware_concurrencyEv program_invocation_name program_invocation_short_name __progname" },
    { LINT_KIND_FILES, LINT_ERROR,
      "open open64 openat openat64 fopen fopen64 fdopen freopen* read pread pread64 readv fread fread_unlocked fgets fgetc getc getchar getline getdelim "
      "scanf fscanf __isoc99_scanf __isoc99_fscanf __isoc23_scanf __isoc23_fscanf stat stat64 fstat fstat64 lstat lstat64 __xstat* __fxstat* __lxstat* "
      "statx access opendir readdir readdir64 scandir* glob glob64 realpath readlink mkdir unlink remove rename ftell ftello lseek lseek64 "
      "popen system stdin _ZSt3cin _ZNSt14basic_ifstream* _ZNSt13basic_filebuf* _ZNSt10filesystem*" },
    { LINT_KIND_FILES, LINT_WARNING,
      "printf fprintf vprintf vfprintf dprintf __printf_chk __fprintf_chk __vprintf_chk __vfprintf_chk puts fputs putchar fputc putc fwrite write pwrite "
      "pwrite64 writev fflush fclose close perror stdout stderr _ZSt4cout _ZSt4cerr _ZSt4clog _ZNSt14basic_ofstream* syslog __syslog_chk" },
    { LINT_KIND_NETWORK, LINT_ERROR,
      "socket connect accept accept4 bind listen send sendto sendmsg sendmmsg recv recvfrom recvmsg recvmmsg getaddrinfo gethostby* getsockname getpeername "
      "select pselect poll ppoll epoll_* curl_easy_* SSL_read SSL_write" },
    { LINT_KIND_THREADS, LINT_ERROR,
      "pthread_create thrd_create fork vfork clone posix_spawn* _ZNSt6thread15_M_start_thread* GOMP_* __kmpc_* omp_* dispatch_async*" },
    { LINT_KIND_THREADS, LINT_WARNING,
      "pthread_mutex_* pthread_cond_* pthread_rwlock_* pthread_spin_* pthread_barrier_* pthread_key_create pthread_getspecific pthread_setspecific "
      "mtx_* cnd_* sem_wait sem_post sem_timedwait signal sigaction raise alarm setitimer _ZNSt18condition_variable* __atomic_*" },
    { LINT_KIND_SORT, LINT_WARNING, "qsort qsort_r bsearch heapsort lfind" },
    { LINT_KIND_HASH_ORDER, LINT_WARNING, "_ZNKSt8__detail20_Prime_rehash_policy* _ZSt11_Hash_bytes* _ZNSt3__112__next_primeEm hcreate* hsearch* g_hash_table_*" },
    { LINT_KIND_ALLOCATION, LINT_WARNING,
      "malloc calloc realloc reallocarray aligned_alloc posix_memalign memalign valloc mmap mmap64 mremap brk sbrk strdup strndup __strdup _Znwm* _Znam* "
      "_Znwj* _Znaj* open_memstream g_malloc* g_new* SDL_malloc" },
    { LINT_KIND_LOADING, LINT_WARNING, "dlopen dlmopen dlsym dlvsym dl_iterate_phdr dladdr" },
    { LINT_KIND_PROCESSOR, LINT_WARNING, "__cpu_model __cpu_features2 __cpu_indicator_init __init_cpu_features* __aarch64_have_lse_atomics __riscv_feature_bits" },
    { LINT_KIND_FP_MODE, LINT_ERROR, "fesetround fesetenv feupdateenv feholdexcept fesetmode feenableexcept fedisableexcept _controlfp* __setfpucw" },
    { LINT_KIND_LONG_DOUBLE, LINT_ERROR,
      "__addtf3 __subtf3 __multf3 __divtf3 __negtf2 __sqrttf2 __extenddftf2 __extendsftf2 __trunctfdf2 __trunctfsf2 __floatsitf __floatditf "
      "__floatunsitf __floatunditf __fixtfsi __fixtfdi __fixunstfsi __fixunstfdi __mulxc3 __divxc3 __multc3 __divtc3 __powitf2 __powixf2" },
    { LINT_KIND_SYSTEM, LINT_WARNING, "syscall ioctl ptrace prctl" },
    { LINT_KIND_ENDING, LINT_NOTE, "abort exit _exit _Exit quick_exit __assert_fail __assert_rtn __assert kill _ZSt9terminatev" },
};

static bool is_word(const char *word, size_t size, const char *name, size_t name_size)
{
    if (word[size - 1] == '*') {
        return name_size >= size - 1 && memcmp(word, name, size - 1) == 0;
    }
    return name_size == size && memcmp(word, name, size) == 0;
}

static bool has_word(const char *words, const char *name, size_t name_size)
{
    while (*words != '\0') {
        size_t size = strcspn(words, " ");
        if (is_word(words, size, name, name_size)) {
            return true;
        }
        words += size + strspn(words + size, " ");
    }
    return false;
}

static bool is_libm(const char *name, size_t size)
{
    static const char finite[] = "_finite";
    size_t            tail = sizeof(finite) - 1;
    if (size > 2 + tail && memcmp(name, "__", 2) == 0 && memcmp(name + size - tail, finite, tail) == 0) {
        name += 2;
        size -= 2 + tail;
    }
    if (size > 1 && has_word(libm_names, name, size)) {
        return true;
    }
    return size > 2 && strchr("fl", name[size - 1]) != NULL && has_word(libm_names, name, size - 1);
}

bool lint_rule_of_import(const char *name, LintKind *kind, LintLevel *level)
{
    size_t size = strcspn(name, "@");
    if (size == 0) {
        return false;
    }
    if (is_libm(name, size)) {
        *kind = LINT_KIND_LIBM;
        *level = LINT_ERROR;
        return true;
    }
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (has_word(rules[i].names, name, size)) {
            *kind = rules[i].kind;
            *level = rules[i].level;
            return true;
        }
    }
    return false;
}
