// Loaded into a server by a test. SIGUSR2 then throws an error that nothing catches.
console.error(`loaded into ${process.pid} ${process.argv[1]}`)
process.on('SIGUSR2', () => {
  throw new Error('thrown by a test')
})
