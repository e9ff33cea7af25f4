#ifndef REEVE_SYS_FD_H
#define REEVE_SYS_FD_H

/* The value of a variable that holds no descriptor. */
#define FD_NONE (-1)

/* AUTO(fd) file = open(...): the descriptor is closed when the block ends, unless it is FD_NONE. */
#define AUTO_fd __attribute__((cleanup(fd_cleanup))) int

/* Implements AUTO(fd). Preserves errno. */
void fd_cleanup(int *fd);

#endif
