// Loaded into the server by `npm start`. Should the starter die without a word (kill -9), the server drains and stops
// instead of staying behind. Programs that the server starts inherit this file too; it is not meant for them.
if (process.env.KINORA_STARTER === String(process.ppid) && process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}
