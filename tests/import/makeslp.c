// makeslp.c: writes the named case of slpbuild.h to standard output; without a name it lists them.
#include <stdio.h>

#include "slpbuild.h"

int main(int argc, char **argv)
{
    static SlpBuild build;
    if (argc != 2) {
        for (int i = 0; slpbuild_cases[i] != NULL; i++) {
            puts(slpbuild_cases[i]);
        }
        return argc == 1 ? 0 : 2;
    }
    if (!slpbuild_case(&build, argv[1])) {
        fprintf(stderr, "makeslp: there is no case '%s'\n", argv[1]);
        return 2;
    }
    return fwrite(build.bytes, 1, build.size, stdout) == build.size ? 0 : 1;
}
