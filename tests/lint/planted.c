// planted.c: one planted thing for each kind that lint knows, chosen by -DPLANT_<kind>. Without any it is the clean twin: what looks alike and
// is exact (sqrt, floor, fma's two halves, const tables, memcpy).
#include <stddef.h>
#include <stdint.h>
// As -ffreestanding has it: no header of a library, which this machine may lack for another.
void *memcpy(void *restrict, const void *restrict, size_t);

double sqrt(double);
double floor(double);
double fabs(double);
static const int32_t table[4] = { 3, 1, 4, 1 };

// The step of each plant calls it, so that it has a function to be found in.
double planted_step(double x, int32_t *crew);

#if defined(PLANT_libm)
double sin(double);
float powf(float, float);
#define PLANT(x) (sin(x) + (double)powf((float)(x), 2.5f))
#elif defined(PLANT_clock)
long clock(void);
#define PLANT(x) ((x) + (double)clock())
#elif defined(PLANT_entropy)
int rand(void);
#define PLANT(x) ((x) + rand())
#elif defined(PLANT_locale)
double strtod(const char *, char **);
#define PLANT(x) ((x) + strtod("1.5", NULL))
#elif defined(PLANT_environment)
char *getenv(const char *);
#define PLANT(x) ((x) + (getenv("SPEED") != NULL))
#elif defined(PLANT_files)
int open(const char *, int, ...);
#define PLANT(x) ((x) + open("level.txt", 0))
#elif defined(PLANT_network)
int socket(int, int, int);
#define PLANT(x) ((x) + socket(2, 1, 0))
#elif defined(PLANT_threads)
int pthread_create(void *, const void *, void *(*)(void *), void *);
#define PLANT(x) ((x) + pthread_create(crew, NULL, NULL, NULL))
#elif defined(PLANT_sort)
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
int by_size(const void *a, const void *b);
int by_size(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
#define PLANT(x) (qsort(crew, 4, sizeof(*crew), by_size), (x))
#elif defined(PLANT_allocation)
void *malloc(size_t);
#define PLANT(x) ((x) + (double)(uintptr_t)malloc(4))
#elif defined(PLANT_loading)
void *dlopen(const char *, int);
#define PLANT(x) ((x) + (dlopen("x.so", 1) != NULL))
#elif defined(PLANT_system)
long syscall(long, ...);
#define PLANT(x) ((x) + syscall(39))
#elif defined(PLANT_ending)
void exit(int);
#define PLANT(x) ((x) > 1e9 ? (exit(1), 0) : (x))
#elif defined(PLANT_state)
static int32_t planted_counter;
#define PLANT(x) ((x) + ++planted_counter)
#elif defined(PLANT_tls)
static _Thread_local int32_t planted_counter;
#define PLANT(x) ((x) + ++planted_counter)
#elif defined(PLANT_constructor)
volatile int32_t planted_table[4]; // state, too
static void __attribute__((constructor)) planted_early(void)
{
    planted_table[1] = table[2];
}
#define PLANT(x) ((x) + planted_table[1])
#elif defined(PLANT_hash_order)
size_t _ZSt11_Hash_bytesPKvmm(const void *, size_t, size_t);
#define PLANT(x) ((x) + (double)_ZSt11_Hash_bytesPKvmm(crew, 4, 0))
#elif defined(PLANT_fma)
#define PLANT(x) __builtin_fma(x, x, x) // compiled for a machine that has it
#elif defined(PLANT_x87) || defined(PLANT_long_double)
static double widened(double x)
{
    volatile long double wide = x; // through memory, where its 80 bits are seen
    wide = wide * 3.0L + x;
    return (double)wide;
}
#define PLANT(x) widened(x)
#elif defined(PLANT_approximation)
#if defined(__x86_64__) || defined(__i386__)
typedef float Four __attribute__((vector_size(16)));
static double estimate(double x)
{
    Four four = { (float)x, 1, 1, 1 };
    return (double)__builtin_ia32_rcpps(four)[0];
}
#else
static double estimate(double x)
{
    double y;
    __asm__("frecpe %d0, %d1" : "=w"(y) : "w"(x));
    return y;
}
#endif
#define PLANT(x) estimate(x)
#elif defined(PLANT_fp_mode)
#if defined(__aarch64__)
static double flush(double x)
{
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)1 << 24));
    return x;
}
#define PLANT(x) flush(x)
#else
static double flush(double x)
{
    uint32_t word = 0x9fc0;
    __asm__ volatile("ldmxcsr %0" : : "m"(word));
    return x;
}
#define PLANT(x) flush(x)
#endif
#elif defined(PLANT_clock_instruction)
#define PLANT(x) ((x) + (double)__builtin_ia32_rdtsc())
#elif defined(PLANT_entropy_instruction)
static double drawn(double x)
{
    unsigned char is_there;
    uint64_t      word;
    __asm__ volatile("rdrand %0; setc %1" : "=r"(word), "=qm"(is_there));
    return x + (double)(word & is_there);
}
#define PLANT(x) drawn(x)
#elif defined(PLANT_processor)
static double asked(double x)
{
    uint32_t a = 1, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return x + (c & 1);
}
#define PLANT(x) asked(x)
#elif defined(PLANT_system_instruction)
static double called(double x)
{
    long result = 39;
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
    return x + (double)result;
}
#define PLANT(x) called(x)
#elif defined(PLANT_unread)
static double garbled(double x)
{
    __asm__ volatile("jmp 1f\n .byte 0x06, 0x06, 0x0e, 0x1e\n1:"); // no instructions in 64 bits
    return x;
}
#define PLANT(x) garbled(x)
#else
#define PLANT(x) ((x) * (x) + (x))
#endif

double planted_step(double x, int32_t *crew)
{
    memcpy(crew, table, sizeof(table));
    return floor(sqrt(fabs(x))) + PLANT(x);
}
