/** Values that occur in objects and requests: few, so that they meet, and some odd. */
export const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
export const ODD_VERBS = ['proxy', '', 'head', 'post', 'put', 'connect', 'GET', 'options']

export const API_GROUPS = ['', 'apps', 'batch', 'coordination.k8s.io', 'widgets.example.org', 'größe.example']
export const ODD_API_GROUPS = ['core', 'apps/v1', 'Apps']

export const RESOURCES = [
  'pods',
  'pods/status',
  'pods/eviction',
  'deployments',
  'deployments/scale',
  'leases',
  'events',
  'nodes',
  'nodes/status',
  'namespaces',
  'namespaces/status',
  'namespaces/finalize',
  'secrets',
  'widgets.v2',
]
export const ODD_RESOURCES = [
  'pods/log',
  'pods/exec',
  'nodes/proxy',
  'pods/*',
  '*/status',
  'Pods',
  '',
  'pods/',
  'watch',
  'proxy',
  'namespaces/',
]

export const NAMESPACES = ['shop', 'shop-a', 'shop.b', 'kube-system', 'default', 'team-1']
export const ODD_NAMESPACES = ['', 'größe', 'status', 'finalize', 'namespaces', 'Shop', '😀']

export const PATHS = [
  '/healthz',
  '/healthz/etcd',
  '/healthzz',
  '/livez',
  '/readyz/ping',
  '/version',
  '/metrics',
  '/metrics/cadvisor',
  '/api',
  '/api/v1',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/openapi/v3/apis/apps/v1',
  '/debug/pprof/heap',
  '/debug/pprof',
  '/logs/größe',
  '/',
]
/** Entries of nonResourceURLs. */
export const PATH_PATTERNS = [
  ...PATHS,
  '*',
  '/*',
  '/healthz/*',
  '/healthz/',
  '/health*',
  '/apis/*',
  '/api/',
  '/metrics/*',
  '/debug/*',
  '/debug/pprof/*',
  '//',
  '',
  'healthz',
  '/**',
  '/openapi/*/apis',
]

export const SERVICE_ACCOUNTS = [
  { namespace: 'shop', name: 'reporter' },
  { namespace: 'shop-a', name: 'reporter' },
  { namespace: 'shop', name: 'sync.v2' },
  { namespace: 'kube-system', name: 'default' },
  { namespace: 'team-1', name: 'agent' },
]

export const USERS = [
  'ada',
  'otto',
  'cleo@example.org',
  'jürgen@example.org',
  'oidc:😀',
  'system:anonymous',
  'system:node:n1',
  'system:node:n2',
  'system:kube-scheduler',
  'system:kube-controller-manager',
  'system:apiserver',
  ...SERVICE_ACCOUNTS.map(({ namespace, name }) => `system:serviceaccount:${namespace}:${name}`),
]
export const ODD_USERS = [
  '',
  'Ada',
  'ad',
  'ada ',
  '*',
  'system:serviceaccount:',
  'system:serviceaccount:shop',
  'system:serviceaccount:shop:',
  'system:serviceaccount:shop:reporter:x',
  'system:serviceaccount::reporter',
  'system:serviceaccounts:shop:reporter',
]

export const GROUPS = [
  'dev',
  'ops',
  'qa',
  'system:nodes',
  'system:authenticated',
  'system:unauthenticated',
  'system:serviceaccounts',
  'system:serviceaccounts:shop',
  'system:serviceaccounts:kube-system',
]
export const ODD_GROUPS = ['system:masters', '', '*', 'dev,ops', 'Dev', 'system:master', 'größe']
