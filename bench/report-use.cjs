// Preloaded into a measured process: at its end it says on stderr what it used.
const { writeSync } = require('node:fs')

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeSync(2, JSON.stringify({ microseconds: userCPUTime + systemCPUTime, mebibytes: maxRSS / 1024 }))
})
