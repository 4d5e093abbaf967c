// SPDX-License-Identifier: GPL-2.0-only
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_MOST	5

struct stream {
	int fd;			/* -1: ended */
	char *text;
	size_t used, size;
};

static void become(const char *const *words, int out, int complaint)
{
	int nothing = open("/dev/null", O_RDONLY);

	setsid();
	dup2(nothing, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(complaint, STDERR_FILENO);
	setenv("LC_ALL", "C", 1);
	execvp(words[0], (char *const *)words);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Takes what is there; what does not fit is read and dropped, so that the program does not block. */
static void take(struct stream *stream)
{
	char rest[512];
	bool room = stream->used + 1 < stream->size;
	ssize_t got = read(stream->fd, room ? stream->text + stream->used : rest,
			   room ? stream->size - 1 - stream->used : sizeof(rest));

	if (got <= 0) {
		close(stream->fd);
		stream->fd = -1;
	} else if (room) {
		stream->used += got;
		stream->text[stream->used] = '\0';
	}
}

static long long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* False: too slow. */
static bool listen_to(struct stream streams[2])
{
	long long end = milliseconds() + SECONDS_MOST * 1000;

	while (streams[0].fd >= 0 || streams[1].fd >= 0) {
		struct pollfd polled[2] = { { streams[0].fd, POLLIN, 0 }, { streams[1].fd, POLLIN, 0 } };
		long long left = end - milliseconds();
		int i;

		if (left <= 0)
			return false;
		poll(polled, 2, left);
		for (i = 0; i < 2; i++)
			if (streams[i].fd >= 0 && polled[i].revents)
				take(&streams[i]);
	}
	return true;
}

static int exit_status(pid_t child, bool in_time)
{
	int status;

	if (!in_time)
		kill(-child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return in_time && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool run_program(const char *const *words, struct run *run)
{
	struct stream streams[2] = { { -1, run->out, 0, sizeof(run->out) },
				     { -1, run->complaint, 0, sizeof(run->complaint) } };
	int out[2], complaint[2];
	bool in_time;
	pid_t child;

	memset(run, 0, sizeof(*run));
	run->status = -1;
	if (pipe2(out, O_CLOEXEC))
		return false;
	if (pipe2(complaint, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return false;
	}
	child = fork();
	if (!child)
		become(words, out[1], complaint[1]);
	close(out[1]);
	close(complaint[1]);
	streams[0].fd = out[0];
	streams[1].fd = complaint[0];
	in_time = child > 0 && listen_to(streams);
	if (streams[0].fd >= 0)
		close(streams[0].fd);
	if (streams[1].fd >= 0)
		close(streams[1].fd);
	if (child < 0)
		return false;
	run->status = exit_status(child, in_time);
	return run->status != 127;
}
