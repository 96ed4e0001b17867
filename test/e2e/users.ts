/** Who has a token on the servers of the tests; what they may do stands in testdata/rbac.yaml. */
export const TOKEN_USERS: Readonly<Record<string, readonly string[]>> = {
  admin: ['system:masters'],
  /** May read all of APF's objects. */
  reader: [],
  /** May read FlowSchemas but no levels. */
  'schemas-reader': [],
  /** May read them and be anybody. */
  impersonator: [],
  nobody: [],
  ada: ['dev', 'qa'],
  otto: [],
  'cleo@example.org': ['ops'],
  'system:node:n1': ['system:nodes'],
  'system:kube-scheduler': [],
}

export function tokenOf(user: string): string {
  return `token-of-${Buffer.from(user).toString('hex')}`
}

/** The file of `--token-auth-file`. */
export function tokenFile(): string {
  const lines = Object.entries(TOKEN_USERS).map(([user, groups], index) => {
    const fields = [tokenOf(user), user, `uid-${index}`]
    return groups.length === 0 ? fields.join(',') : `${fields.join(',')},"${groups.join(',')}"`
  })
  return `${lines.join('\n')}\n`
}
