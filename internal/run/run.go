// Package run starts the go command, test binaries and other child processes,
// and cleans up after them.
//
// Every child runs in a process group of its own, which is killed as a whole
// when the context ends. Everything that is written goes below one [Scratch]
// directory, which Close removes.
package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// maxStderr bounds what is kept of a child's standard error.
const maxStderr = 1 << 20

// Command returns a command that runs in dir with env added to this process's
// environment. It starts a process group of its own and, when ctx ends, the
// group is killed.
func Command(ctx context.Context, dir string, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	if dir != "" {
		// The go command trusts PWD to name the directory through symbolic links.
		cmd.Env = append(cmd.Env, "PWD="+dir)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// Output runs the command to its end and returns its standard output. A
// failure is an [*Error].
func Output(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	stderr := &tail{max: maxStderr}
	cmd.Stdout, cmd.Stderr = &out, stderr
	if err := cmd.Run(); err != nil {
		return out.Bytes(), &Error{Args: cmd.Args, Stdout: out.Bytes(), Stderr: stderr.String(), Err: err}
	}
	return out.Bytes(), nil
}

// Combined runs the command to its end and returns its standard output and
// standard error.
func Combined(cmd *exec.Cmd) (stdout, stderr []byte, err error) {
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	if err := cmd.Run(); err != nil {
		return out.Bytes(), errout.Bytes(), &Error{Args: cmd.Args, Stdout: out.Bytes(), Stderr: errout.String(), Err: err}
	}
	return out.Bytes(), errout.Bytes(), nil
}

// An Error is a child process that failed.
type Error struct {
	Args   []string
	Stdout []byte
	Stderr string // at most its last MiB
	Err    error  // from os/exec
}

// Error returns the command and the first telling line of its standard error.
func (e *Error) Error() string {
	name := strings.Join(e.Args[:min(2, len(e.Args))], " ")
	if line := e.FirstLine(); line != "" {
		return fmt.Sprintf("%s: %s", name, line)
	}
	return fmt.Sprintf("%s: %v", name, e.Err)
}

// FirstLine returns the first line of standard error that says something: the
// go command's "# package" headers and warnings are passed over.
func (e *Error) FirstLine() string {
	for line := range strings.Lines(e.Stderr) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading") && !strings.HasPrefix(line, "warning:") {
			return line
		}
	}
	return ""
}

func (e *Error) Unwrap() error { return e.Err }

// Interrupted reports whether err came from a context that was cancelled, as by Ctrl-C.
func Interrupted(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) || err != nil && errors.Is(ctx.Err(), context.Canceled)
}

// tail keeps the last max bytes written to it.
type tail struct {
	max int
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if len(t.buf) > 2*t.max {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.max:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.buf[max(0, len(t.buf)-t.max):]) }
