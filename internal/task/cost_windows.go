package task

import "syscall"

// CPUSeconds returns the CPU time of this process, user and kernel.
func CPUSeconds() float64 {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, ended, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(self, &created, &ended, &kernel, &user) != nil {
		return 0
	}
	// A span of time in units of 100 ns, which Filetime.Nanoseconds takes for a date.
	span := func(t syscall.Filetime) float64 {
		return float64(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) / 1e7
	}
	return span(kernel) + span(user)
}

// MaxRSS returns 0: the peak memory is not known here.
func MaxRSS() int64 { return 0 }
