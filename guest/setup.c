// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an application needs before it can be measured: init runs this program before the machine comes to rest. It
 * brings the loopback up, executes the setup commands and starts the server, whose tasks stay. What goes wrong it
 * prints, one sentence, and ends with status 1.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "application.h"
#include "number.h"

#define LOG "/application.log" /* what the commands print */
#define PORT "port:"

static struct application application = { .limit_ms = 2000 };
static int log_fd;

/* The last line of the log that is not empty. */
static const char *last_line(void)
{
	static char text[512];
	off_t size = lseek(log_fd, 0, SEEK_END), from = size > (off_t)sizeof(text) - 1 ? size - (off_t)sizeof(text) + 1 : 0;
	ssize_t got = pread(log_fd, text, sizeof(text) - 1, from);
	char *line;

	while (got > 0 && strchr("\n\r ", text[got - 1]))
		got--;
	if (got <= 0)
		return "nothing";
	text[got] = '\0';
	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

__attribute__((noreturn, format(printf, 1, 2))) static void give_up(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	fflush(stdout);
	_exit(1);
}

static void start_loopback(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		give_up("the loopback: %s", strerror(errno));
	close(fd);
}

static void execute_setup(void)
{
	for (size_t i = 0; i < application.counts[COMMAND_SETUP]; i++) {
		char **argv = application.commands[COMMAND_SETUP][i];
		int status = application_execute(&application, argv, log_fd);

		if (status < 0)
			give_up("setup: %s: %s; it last printed: %s", argv[0],
				errno == ETIME ? "no end within its limit of guest time" : strerror(errno), last_line());
		if (WIFSIGNALED(status))
			give_up("setup: %s was killed by signal %d (%s); it last printed: %s", argv[0], WTERMSIG(status),
				strsignal(WTERMSIG(status)), last_line());
		if (WEXITSTATUS(status))
			give_up("setup: %s ended with status %d; it last printed: %s", argv[0], WEXITSTATUS(status),
				last_line());
	}
}

static bool port_answers(uint64_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool answered = fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address));

	if (fd >= 0)
		close(fd);
	return answered;
}

/* Whether what the server has printed since @from has the text. */
static bool printed(off_t from, const char *text)
{
	static char log[256 * 1024];
	ssize_t got = pread(log_fd, log, sizeof(log) - 1, from);

	log[got > 0 ? got : 0] = '\0';
	return strstr(log, text);
}

static bool ready(off_t from)
{
	uint64_t port;

	if (strncmp(application.ready, PORT, strlen(PORT)))
		return printed(from, application.ready);
	if (!parse_number(application.ready + strlen(PORT), &port) || port > 65535)
		give_up("%s is no port", application.ready);
	return port_answers(port);
}

static void start_server(void)
{
	char **argv = application.commands[COMMAND_SERVER][0];
	const struct timespec moment = { .tv_nsec = 10000000 };
	off_t from = lseek(log_fd, 0, SEEK_END);
	pid_t child = fork();
	int status;

	if (child < 0)
		give_up("fork: %s", strerror(errno));
	if (child == 0) {
		setsid(); /* its files are the log and /dev/null: init reads our output until we end */
		application_become(&application, argv, log_fd);
	}
	for (uint64_t waited = 0; !ready(from); waited += 10) {
		if (waitpid(child, &status, WNOHANG) == child && (!WIFEXITED(status) || WEXITSTATUS(status)))
			give_up("server: %s ended before it was ready (%s); it last printed: %s", argv[0],
				WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "by itself", last_line());
		if (waited > application.limit_ms)
			give_up("server: %s is not ready (%s) after %" PRIu64 " ms of guest time; it last printed: %s",
				argv[0], application.ready, application.limit_ms, last_line());
		nanosleep(&moment, NULL);
	}
}

int main(void)
{
	const char *why = application_read(&application);

	if (why)
		give_up(APPLICATION_CONF ": %s", why);
	log_fd = open(LOG, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (log_fd < 0)
		give_up(LOG ": %s", strerror(errno));
	if ((mkdir("/dev/shm", 0777) && errno != EEXIST) || mount("tmpfs", "/dev/shm", "tmpfs", 0, ""))
		give_up("/dev/shm: %s", strerror(errno));
	/* As for what is measured: where things lie is chosen by chance otherwise, and a server keeps it. */
	personality(ADDR_NO_RANDOMIZE);
	start_loopback();
	execute_setup();
	if (application.counts[COMMAND_SERVER])
		start_server();
	return 0;
}
