/** Returns whether a process with this pid exists on this machine. @example isAlive(process.ppid) // true */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
