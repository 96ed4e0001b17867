/** What the settings of clients mean. */
import type { SettingText } from './settings.ts'

const LIMITER = 'client-go'

export const CLIENT_SETTINGS: readonly SettingText[] = [
  {
    name: 'rest.Config.QPS',
    limiter: LIMITER,
    unless: '5',
    does: 'Requests each second that come back to the bucket. Below 0 there is no limiter.',
    beware:
      '0 means 5. Above 0 a clientset shares one bucket and needs Burst as well; at 0 every group-version has a bucket of its own.',
  },
  {
    name: 'rest.Config.Burst',
    limiter: LIMITER,
    unless: '10',
    does: 'Requests that may be sent at once before the rate holds them back.',
    beware: 'Watches take no token for their first attempt; retries take one each.',
  },
  {
    name: 'rest.Config.RateLimiter',
    limiter: LIMITER,
    unless: 'none',
    does: 'A limiter of the program; QPS and Burst are ignored then. Shared by all copies of the configuration.',
  },
  {
    name: '--kube-api-qps',
    limiter: LIMITER,
    unless: '20 of the controller managers',
    does: 'QPS of the clients of a component. Each controller of a controller manager has a bucket of its own.',
    beware: 'kube-scheduler, kube-proxy and kubelet read it from their configuration file.',
  },
  {
    name: '--kube-api-burst',
    limiter: LIMITER,
    unless: '30 of the controller managers',
    does: 'Burst of the clients of a component.',
  },
  {
    name: 'clientConnection.qps',
    limiter: LIMITER,
    unless: '50 kube-scheduler, 5 kube-proxy',
    does: 'QPS, in KubeSchedulerConfiguration and KubeProxyConfiguration. 0 means the default.',
  },
  {
    name: 'clientConnection.burst',
    limiter: LIMITER,
    unless: '100 kube-scheduler, 10 kube-proxy',
    does: 'Burst, in KubeSchedulerConfiguration and KubeProxyConfiguration. 0 means the default.',
  },
  {
    name: 'kubeAPIQPS',
    limiter: LIMITER,
    unless: '50 (5 before 1.27)',
    does: 'Requests each second of one kubelet to the API server, its events and leases apart.',
    beware: '0 is not unlimited: client-go makes 5 of it.',
  },
  { name: 'kubeAPIBurst', limiter: LIMITER, unless: '100 (10 before 1.27)', does: 'Burst of the same.' },
  {
    name: 'eventRecordQPS',
    limiter: LIMITER,
    unless: '50 (5 before 1.27)',
    does: 'Events each second that one kubelet writes; they have a client of their own.',
    beware: '0 is unlimited.',
  },
  { name: 'eventBurst', limiter: LIMITER, unless: '100 (10 before 1.27)', does: 'Burst of the same.' },
  {
    name: 'registryPullQPS',
    limiter: LIMITER,
    unless: '5',
    does: 'Image pulls each second of one kubelet. It refuses instead of waiting: "pull QPS exceeded".',
    beware: '0 is unlimited. The API server has no part in it.',
  },
  { name: 'registryBurst', limiter: LIMITER, unless: '10', does: 'Burst of the same.' },
]
