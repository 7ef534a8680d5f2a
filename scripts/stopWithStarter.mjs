// Loaded into the server by `npm start`. If the starter is killed (kill -9), the server drains and stops. The server's
// child processes load this file too; the condition excludes them.
if (process.env.KINORA_STARTER === String(process.ppid) && process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}
