/* start.c - a Cortex-M7 begins: floating point on, then the C library. */
extern unsigned stack_top;
extern void _start(void);
void reset(void);
void _init(void);
void _fini(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[2] = { &stack_top, (const void *)reset };

__attribute__((naked, noreturn)) void reset(void)
{
    __asm__ volatile("ldr r0, =0xe000ed88\n ldr r1, [r0]\n orr r1, r1, #0xf00000\n str r1, [r0]\n dsb\n isb\n"
                     "bl _start\n b .\n");
}

/* What the C library calls before and after main. */
void _init(void)
{
}

void _fini(void)
{
}
