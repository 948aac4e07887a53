// SPDX-License-Identifier: GPL-2.0
/*
 * Network interfaces for tests of the agent on a host. Each looks like the NIC of one driver: its name, its private
 * counters, PFC over dcbnl, pause, stall prevention. Faults are set in debugfs, below petrel_nic/INTERFACE/ (README.md
 * lists them). Time is the kernel's: a pulse of 60 ms lasts 60 ms, however slow the guest's user space is.
 *
 * No timer moves the counters. Each read and each change of a setting brings them up to date first (advance()), so that
 * every interval counts under the settings that held in it.
 */
#include <linux/dcbnl.h>
#include <linux/debugfs.h>
#include <linux/ethtool.h>
#include <linux/etherdevice.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/version.h>
#include <linux/wait.h>
#include <net/dcbnl.h>

#define MAX_NICS 8
#define PRIORITIES 8
#define MAX_COUNTERS 64
#define PACKET_NS 10000ULL /* received: one packet in this time */
#define FRAME_NS 300000ULL /* a pause of this length needs one more frame at 100 Gbit/s */
#define WAIT_AT_MOST (60 * HZ)

static char *nics[MAX_NICS];
static int nic_count;
module_param_array(nics, charp, &nic_count, 0444);
MODULE_PARM_DESC(nics, "for each interface: the driver that it looks like (mlx5_core, bnxt_en, ice, or any other name)");

/* What a test sets. */
enum setting {
	STALL,		/* 1: nothing is received, and the NIC pauses its switch without a break */
	PULSE_MS,	/* stalls of this length ... */
	PULSE_EVERY_MS,	/* ... one in this time */
	PAUSE_PERCENT,	/* pauses this part of the time while it receives */
	PAUSED,		/* 1: the switch pauses this NIC without a break */
	REFRESH_MS,	/* the counters that others see are renewed this often; 0: with every read */
	REFUSE,		/* the error number with which PFC and pause are refused; 0: not refused */
	IGNORE,		/* 1: a set succeeds and changes nothing */
	FIRMWARE_DCBX,	/* 1: the firmware manages DCBX, so that PFC is refused */
	EXT_STATE,	/* why the link is down: enum ethtool_link_ext_state and 1; 0: not known */
	SETTINGS
};

static const char *const setting_names[SETTINGS] = {
	"stall", "pulse_ms", "pulse_every_ms", "pause_percent", "paused",
	"refresh_ms", "refuse", "ignore", "firmware_dcbx", "ext_state",
};

struct counts {
	u64 received;
	u64 discarded;
	u64 frames[PRIORITIES + 1]; /* sent pause by priority; the last is that of the whole link */
	u64 paused_ns[PRIORITIES + 1];
	u64 paused_by_others_ns;
	u64 storms;
};

struct nic;

struct knob {
	struct nic *nic;
	enum setting which;
};

struct nic {
	struct net_device *dev;
	const char *driver;
	struct dentry *folder;
	struct knob knobs[SETTINGS];
	struct mutex lock;
	wait_queue_head_t changed;

	u64 settings[SETTINGS];
	u64 set_at; /* when a setting changed last: pulses begin then */
	u64 now;
	struct counts counts;
	struct counts shown;
	u64 shown_at;

	struct ieee_pfc pfc;
	u8 dcbx;
	bool sends_pause, receives_pause;
	u16 prevention_ms;

	u64 reads; /* of the private counters */
	u64 sets;  /* of PFC or pause, that were not refused */
	u64 off_after_ns; /* from the last change of a setting to the moment when the NIC stopped pausing */
};

static struct nic *all[MAX_NICS];

static struct nic *nic_of(struct net_device *dev)
{
	return *(struct nic **)netdev_priv(dev);
}

static bool may_pause(const struct nic *nic)
{
	return nic->pfc.pfc_en || nic->sends_pause;
}

/* Of the first `ns` of a setting's time: how much is stalled. */
static u64 stalled_ns(const struct nic *nic, u64 ns)
{
	u64 length = nic->settings[PULSE_MS] * NSEC_PER_MSEC;
	u64 every = nic->settings[PULSE_EVERY_MS] * NSEC_PER_MSEC;
	u64 into;

	if (nic->settings[STALL])
		return ns;
	if (!length || every < length)
		return 0;
	into = ns % every;
	return ns / every * length + min(into, length);
}

static void advance(struct nic *nic)
{
	u64 now = ktime_get_ns();
	u64 passed = now - nic->now;
	u64 stalled = stalled_ns(nic, now - nic->set_at) - stalled_ns(nic, nic->now - nic->set_at);
	u64 flowing = passed - stalled;
	u64 paused = stalled + flowing * nic->settings[PAUSE_PERCENT] / 100;
	struct counts *counts = &nic->counts;
	int p;

	counts->received += flowing / PACKET_NS;
	if (stalled && !may_pause(nic))
		counts->discarded += stalled / PACKET_NS;
	for (p = 0; p <= PRIORITIES; ++p) {
		if (p == PRIORITIES ? nic->sends_pause : nic->pfc.pfc_en >> p & 1) {
			counts->paused_ns[p] += paused;
			counts->frames[p] = DIV_ROUND_UP_ULL(counts->paused_ns[p], FRAME_NS);
		}
	}
	if (nic->settings[PAUSED])
		counts->paused_by_others_ns += passed;
	nic->now = now;
	if (now - nic->shown_at >= nic->settings[REFRESH_MS] * NSEC_PER_MSEC) {
		nic->shown = *counts;
		nic->shown_at = now;
	}
}

/* Both are called with the lock held. */
static int refusal(const struct nic *nic)
{
	return -(int)nic->settings[REFUSE];
}

static void was_set(struct nic *nic, bool paused_before)
{
	++nic->sets;
	if (paused_before && !may_pause(nic))
		nic->off_after_ns = ktime_get_ns() - nic->set_at;
	wake_up_all(&nic->changed);
}

/* ---- private counters ---- */

struct column {
	char name[ETH_GSTRING_LEN];
	u64 value;
};

static void put(struct column *columns, int *n, const char *format, int priority, u64 value)
{
	if (*n == MAX_COUNTERS)
		return;
	snprintf(columns[*n].name, ETH_GSTRING_LEN, format, priority);
	columns[(*n)++].value = value;
}

static int mlx5_columns(const struct nic *nic, const struct counts *c, struct column *columns)
{
	int n = 0, p;

	put(columns, &n, "rx_vport_unicast_packets", 0, 1);
	put(columns, &n, "rx_vport_rdma_unicast_packets", 0, c->received);
	put(columns, &n, "rx_discards_phy", 0, c->discarded);
	put(columns, &n, "tx_pause_storm_error_events", 0, c->storms);
	for (p = 0; p < PRIORITIES; ++p) {
		put(columns, &n, "rx_prio%d_packets", p, p == 3 ? c->received : 0);
		if (!(nic->pfc.pfc_en >> p & 1))
			continue;
		put(columns, &n, "tx_prio%d_pause", p, c->frames[p]);
		put(columns, &n, "tx_prio%d_pause_duration", p, c->paused_ns[p] / NSEC_PER_USEC);
		put(columns, &n, "rx_prio%d_pause", p, c->paused_by_others_ns / FRAME_NS);
		put(columns, &n, "rx_prio%d_pause_duration", p, c->paused_by_others_ns / NSEC_PER_USEC);
	}
	if (!nic->pfc.pfc_en) {
		put(columns, &n, "tx_global_pause", 0, c->frames[PRIORITIES]);
		put(columns, &n, "tx_global_pause_duration", 0, c->paused_ns[PRIORITIES] / NSEC_PER_USEC);
		put(columns, &n, "rx_global_pause", 0, c->paused_by_others_ns / FRAME_NS);
	}
	return n;
}

static int bnxt_columns(const struct nic *nic, const struct counts *c, struct column *columns)
{
	int n = 0, p;

	for (p = 0; p < PRIORITIES; ++p) {
		put(columns, &n, "rx_packets_pri%d", p, p == 3 ? c->received : 0);
		put(columns, &n, "tx_pfc_ena_frames_pri%d", p, c->frames[p]);
		put(columns, &n, "pfc_pri%d_tx_duration_us", p, c->paused_ns[p] / NSEC_PER_USEC);
		put(columns, &n, "rx_pfc_ena_frames_pri%d", p, c->paused_by_others_ns / FRAME_NS);
	}
	put(columns, &n, "tx_pause_frames", 0, c->frames[PRIORITIES]);
	put(columns, &n, "rx_pause_frames", 0, 0);
	put(columns, &n, "continuous_pause_events", 0, c->storms);
	return n;
}

/* All priorities count the frames of their traffic class. */
static int ice_columns(const struct nic *nic, const struct counts *c, struct column *columns)
{
	int n = 0, p;

	put(columns, &n, "rx_unicast.nic", 0, c->received);
	put(columns, &n, "rx_dropped.nic", 0, c->discarded);
	put(columns, &n, "link_xoff_tx.nic", 0, c->frames[PRIORITIES]);
	for (p = 0; p < PRIORITIES; ++p) {
		put(columns, &n, "tx_priority_%d_xoff.nic", p, c->frames[3]);
		put(columns, &n, "rx_priority_%d_xoff.nic", p, c->paused_by_others_ns / FRAME_NS);
		put(columns, &n, "rx_priority_%d_xon.nic", p, 0);
	}
	return n;
}

static int columns_of(struct nic *nic, struct column *columns)
{
	int n = 0;

	if (!strcmp(nic->driver, "mlx5_core"))
		return mlx5_columns(nic, &nic->shown, columns);
	if (!strcmp(nic->driver, "bnxt_en"))
		return bnxt_columns(nic, &nic->shown, columns);
	if (!strcmp(nic->driver, "ice"))
		return ice_columns(nic, &nic->shown, columns);
	put(columns, &n, "rx_packets", 0, nic->shown.received);
	return n;
}

static struct column *make_columns(struct nic *nic, int *n)
{
	struct column *columns = kcalloc(MAX_COUNTERS, sizeof(*columns), GFP_KERNEL);

	if (columns)
		*n = columns_of(nic, columns);
	return columns;
}

static int get_sset_count(struct net_device *dev, int set)
{
	struct nic *nic = nic_of(dev);
	int n = -ENOMEM;

	if (set == ETH_SS_PRIV_FLAGS)
		return strcmp(nic->driver, "ice") ? -EOPNOTSUPP : 1;
	if (set != ETH_SS_STATS)
		return -EOPNOTSUPP;
	mutex_lock(&nic->lock);
	kfree(make_columns(nic, &n));
	mutex_unlock(&nic->lock);
	return n;
}

static void get_strings(struct net_device *dev, u32 set, u8 *to)
{
	struct nic *nic = nic_of(dev);
	struct column *columns;
	int i, n = 0;

	if (set == ETH_SS_PRIV_FLAGS) {
		strscpy(to, "fw-lldp-agent", ETH_GSTRING_LEN);
		return;
	}
	mutex_lock(&nic->lock);
	columns = make_columns(nic, &n);
	for (i = 0; i < n; ++i)
		memcpy(to + i * ETH_GSTRING_LEN, columns[i].name, ETH_GSTRING_LEN);
	kfree(columns);
	mutex_unlock(&nic->lock);
}

static void get_ethtool_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *to)
{
	struct nic *nic = nic_of(dev);
	struct column *columns;
	int i, n = 0;

	mutex_lock(&nic->lock);
	advance(nic);
	columns = make_columns(nic, &n);
	for (i = 0; i < n; ++i)
		to[i] = columns[i].value;
	kfree(columns);
	++nic->reads;
	wake_up_all(&nic->changed);
	mutex_unlock(&nic->lock);
}

/* ---- the other calls of ethtool ---- */

static void get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, nic_of(dev)->driver, sizeof(info->driver));
}

static u32 get_priv_flags(struct net_device *dev)
{
	return 1; /* the LLDP agent of the firmware runs */
}

static int get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *settings)
{
	settings->base.speed = SPEED_100000;
	settings->base.duplex = DUPLEX_FULL;
	return 0;
}

static void get_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	struct nic *nic = nic_of(dev);

	pause->rx_pause = nic->receives_pause;
	pause->tx_pause = nic->sends_pause;
}

static int set_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	struct nic *nic = nic_of(dev);
	bool before;
	int failed;

	mutex_lock(&nic->lock);
	advance(nic);
	before = may_pause(nic);
	failed = refusal(nic);
	if (!failed && !nic->settings[IGNORE]) {
		nic->sends_pause = pause->tx_pause;
		nic->receives_pause = pause->rx_pause;
	}
	if (!failed)
		was_set(nic, before);
	mutex_unlock(&nic->lock);
	return failed;
}

/* Pause of the whole link. */
static void get_pause_stats(struct net_device *dev, struct ethtool_pause_stats *stats)
{
	struct nic *nic = nic_of(dev);

	mutex_lock(&nic->lock);
	advance(nic);
	stats->tx_pause_frames = nic->shown.frames[PRIORITIES];
	stats->rx_pause_frames = 0;
	mutex_unlock(&nic->lock);
}

/* Pause of the link, and PFC of all priorities. Older kernels do not ask for them. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)
static void get_eth_ctrl_stats(struct net_device *dev, struct ethtool_eth_ctrl_stats *stats)
{
	struct nic *nic = nic_of(dev);
	int p;

	mutex_lock(&nic->lock);
	advance(nic);
	stats->MACControlFramesTransmitted = 0;
	for (p = 0; p <= PRIORITIES; ++p)
		stats->MACControlFramesTransmitted += nic->shown.frames[p];
	stats->MACControlFramesReceived = nic->shown.paused_by_others_ns / FRAME_NS;
	mutex_unlock(&nic->lock);
}
#endif

static int get_link_ext_state(struct net_device *dev, struct ethtool_link_ext_state_info *info)
{
	u64 state = nic_of(dev)->settings[EXT_STATE];

	if (!state)
		return -ENODATA;
	info->link_ext_state = state - 1;
	return 0;
}

static int get_tunable(struct net_device *dev, const struct ethtool_tunable *tunable, void *to)
{
	if (tunable->id != ETHTOOL_PFC_PREVENTION_TOUT || strcmp(nic_of(dev)->driver, "mlx5_core"))
		return -EOPNOTSUPP;
	*(u16 *)to = nic_of(dev)->prevention_ms;
	return 0;
}

/* As mlx5_core: 80 ms to 8 s; "auto" is 100 ms. */
static int set_tunable(struct net_device *dev, const struct ethtool_tunable *tunable, const void *from)
{
	u16 ms = *(const u16 *)from;

	if (tunable->id != ETHTOOL_PFC_PREVENTION_TOUT || strcmp(nic_of(dev)->driver, "mlx5_core"))
		return -EOPNOTSUPP;
	if (ms == PFC_STORM_PREVENTION_AUTO)
		ms = 100;
	if (ms && (ms < 80 || ms > 8000))
		return -EINVAL;
	nic_of(dev)->prevention_ms = ms;
	return 0;
}

static const struct ethtool_ops ethtool_calls = {
	.get_drvinfo = get_drvinfo,
	.get_priv_flags = get_priv_flags,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = get_link_ksettings,
	.get_sset_count = get_sset_count,
	.get_strings = get_strings,
	.get_ethtool_stats = get_ethtool_stats,
	.get_pauseparam = get_pauseparam,
	.set_pauseparam = set_pauseparam,
	.get_pause_stats = get_pause_stats,
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)
	.get_eth_ctrl_stats = get_eth_ctrl_stats,
#endif
	.get_link_ext_state = get_link_ext_state,
	.get_tunable = get_tunable,
	.set_tunable = set_tunable,
};

/* ---- dcbnl ---- */

static int ieee_getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct nic *nic = nic_of(dev);
	int p;

	mutex_lock(&nic->lock);
	advance(nic);
	*pfc = nic->pfc;
	for (p = 0; p < PRIORITIES; ++p)
		pfc->requests[p] = nic->shown.frames[p];
	mutex_unlock(&nic->lock);
	return 0;
}

static int ieee_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct nic *nic = nic_of(dev);
	bool before;
	int failed;

	mutex_lock(&nic->lock);
	advance(nic);
	before = may_pause(nic);
	failed = nic->settings[FIRMWARE_DCBX] ? -EINVAL : refusal(nic);
	if (!failed && !nic->settings[IGNORE])
		nic->pfc.pfc_en = pfc->pfc_en;
	if (!failed)
		was_set(nic, before);
	mutex_unlock(&nic->lock);
	return failed;
}

static u8 getdcbx(struct net_device *dev)
{
	return nic_of(dev)->settings[FIRMWARE_DCBX] ? DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE
						    : nic_of(dev)->dcbx;
}

static u8 setdcbx(struct net_device *dev, u8 mode)
{
	if (nic_of(dev)->settings[FIRMWARE_DCBX])
		return 1;
	nic_of(dev)->dcbx = mode;
	return 0;
}

static const struct dcbnl_rtnl_ops dcbnl_calls = {
	.ieee_getpfc = ieee_getpfc,
	.ieee_setpfc = ieee_setpfc,
	.getdcbx = getdcbx,
	.setdcbx = setdcbx,
};

/* ---- debugfs ---- */

static int knob_get(void *data, u64 *value)
{
	struct knob *knob = data;

	*value = knob->nic->settings[knob->which];
	return 0;
}

static int knob_set(void *data, u64 value)
{
	struct knob *knob = data;
	struct nic *nic = knob->nic;

	mutex_lock(&nic->lock);
	advance(nic);
	nic->settings[knob->which] = value;
	nic->set_at = nic->now;
	nic->off_after_ns = 0;
	mutex_unlock(&nic->lock);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(knob_calls, knob_get, knob_set, "%llu\n");

/* As a firmware reset does it: all counters begin at zero. */
static int reset_set(void *data, u64 value)
{
	struct nic *nic = data;

	mutex_lock(&nic->lock);
	advance(nic);
	memset(&nic->counts, 0, sizeof(nic->counts));
	nic->counts.received = 1;
	nic->shown = nic->counts;
	mutex_unlock(&nic->lock);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(reset_calls, NULL, reset_set, "%llu\n");

/* The NIC's own storm detection has found one. */
static int storm_set(void *data, u64 value)
{
	struct nic *nic = data;

	mutex_lock(&nic->lock);
	nic->counts.storms += value;
	mutex_unlock(&nic->lock);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(storm_calls, NULL, storm_set, "%llu\n");

static int link_set(void *data, u64 value)
{
	struct nic *nic = data;

	if (value)
		netif_carrier_on(nic->dev);
	else
		netif_carrier_off(nic->dev);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(link_calls, NULL, link_set, "%llu\n");

/* A write returns after the counters were read this often, or fails after a minute. */
static int await_reads(void *data, u64 value)
{
	struct nic *nic = data;
	u64 until = READ_ONCE(nic->reads) + value;
	long left = wait_event_interruptible_timeout(nic->changed, READ_ONCE(nic->reads) >= until, WAIT_AT_MOST);

	return left > 0 ? 0 : left < 0 ? left : -ETIMEDOUT;
}
DEFINE_DEBUGFS_ATTRIBUTE(await_reads_calls, NULL, await_reads, "%llu\n");

/* A write returns when the NIC may pause (1) or may not (0), or fails after a minute. */
static int await_pause(void *data, u64 value)
{
	struct nic *nic = data;
	long left = wait_event_interruptible_timeout(nic->changed, may_pause(nic) == !!value, WAIT_AT_MOST);

	return left > 0 ? 0 : left < 0 ? left : -ETIMEDOUT;
}
DEFINE_DEBUGFS_ATTRIBUTE(await_pause_calls, NULL, await_pause, "%llu\n");

/* What another process does with dcbnl: it sets PFC, and all listeners are notified. */
static int pfc_get(void *data, u64 *value)
{
	*value = ((struct nic *)data)->pfc.pfc_en;
	return 0;
}

static int pfc_set(void *data, u64 value)
{
	struct nic *nic = data;

	mutex_lock(&nic->lock);
	advance(nic);
	nic->pfc.pfc_en = value;
	wake_up_all(&nic->changed);
	mutex_unlock(&nic->lock);
	rtnl_lock();
	dcbnl_ieee_notify(nic->dev, RTM_SETDCB, DCB_CMD_IEEE_SET, 0, 0);
	rtnl_unlock();
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(pfc_calls, pfc_get, pfc_set, "%llu\n");

static struct dentry *root;

static void make_files(struct nic *nic)
{
	int i;

	nic->folder = debugfs_create_dir(nic->dev->name, root);
	for (i = 0; i < SETTINGS; ++i) {
		nic->knobs[i] = (struct knob){nic, i};
		debugfs_create_file_unsafe(setting_names[i], 0600, nic->folder, &nic->knobs[i], &knob_calls);
	}
	debugfs_create_file_unsafe("reset", 0200, nic->folder, nic, &reset_calls);
	debugfs_create_file_unsafe("storm", 0200, nic->folder, nic, &storm_calls);
	debugfs_create_file_unsafe("link", 0200, nic->folder, nic, &link_calls);
	debugfs_create_file_unsafe("pfc", 0600, nic->folder, nic, &pfc_calls);
	debugfs_create_file_unsafe("await_reads", 0200, nic->folder, nic, &await_reads_calls);
	debugfs_create_file_unsafe("await_pause", 0200, nic->folder, nic, &await_pause_calls);
	debugfs_create_u64("reads", 0400, nic->folder, &nic->reads);
	debugfs_create_u64("sets", 0400, nic->folder, &nic->sets);
	debugfs_create_u64("off_after_ns", 0400, nic->folder, &nic->off_after_ns);
}

/* ---- the interfaces ---- */

static netdev_tx_t start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops device_calls = {
	.ndo_start_xmit = start_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static void setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &device_calls;
	dev->ethtool_ops = &ethtool_calls;
	dev->dcbnl_ops = &dcbnl_calls;
	dev->flags |= IFF_NOARP;
	eth_hw_addr_random(dev);
}

static struct nic *make_nic(const char *driver, int number)
{
	struct nic *nic = kzalloc(sizeof(*nic), GFP_KERNEL);
	char name[IFNAMSIZ];

	if (!nic)
		return NULL;
	snprintf(name, sizeof(name), "nic%d", number);
	nic->dev = alloc_netdev(sizeof(nic), name, NET_NAME_USER, setup);
	if (!nic->dev)
		goto failed;
	*(struct nic **)netdev_priv(nic->dev) = nic;
	nic->driver = driver;
	mutex_init(&nic->lock);
	init_waitqueue_head(&nic->changed);
	nic->now = nic->set_at = nic->shown_at = ktime_get_ns();
	nic->counts.received = 1;
	nic->shown = nic->counts;
	nic->pfc.pfc_cap = PRIORITIES;
	nic->pfc.pfc_en = 1 << 3;
	nic->dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	nic->prevention_ms = 8000;
	if (register_netdev(nic->dev)) {
		free_netdev(nic->dev);
		goto failed;
	}
	make_files(nic);
	return nic;
failed:
	kfree(nic);
	return NULL;
}

static void remove_all(void)
{
	int i;

	debugfs_remove(root);
	for (i = 0; i < nic_count && all[i]; ++i) {
		unregister_netdev(all[i]->dev);
		free_netdev(all[i]->dev);
		kfree(all[i]);
	}
}

static void __exit petrel_nic_exit(void)
{
	remove_all();
}

static int __init petrel_nic_init(void)
{
	int i;

	root = debugfs_create_dir("petrel_nic", NULL);
	for (i = 0; i < nic_count; ++i) {
		all[i] = make_nic(nics[i], i);
		if (!all[i]) {
			remove_all();
			return -ENOMEM;
		}
	}
	return 0;
}

module_init(petrel_nic_init);
module_exit(petrel_nic_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Network interfaces with PFC and faults, for tests of petrel");
