/** Installs the package into a folder of its own, as a user does, for all tests of the run. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { ROOT, run } from '../support/cli.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the installed programs, for PATH. */
    installed: string
  }
}

export default async function setup({ provide }: TestProject): Promise<() => void> {
  await npm(['run', '--silent', 'build'])
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-apf-installed-'))
  const packed = await npm(['pack', '--silent', '--ignore-scripts', '--pack-destination', folder])
  const archive = packed.trim().split('\n').at(-1) ?? ''
  await npm(['install', '--offline', '--no-audit', '--no-fund', '--prefix', folder, join(folder, archive)])
  provide('installed', join(folder, 'node_modules', '.bin'))
  return () => rmSync(folder, { recursive: true, force: true })
}

async function npm(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run('npm', args, { cwd: ROOT, env: { HOME: process.env['HOME'] ?? '' } })
  if (code !== 0) throw new Error(`npm ${args[0]}: ${stderr}`)
  return stdout
}
