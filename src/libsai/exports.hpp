// The SAI functions that the library exports. They are declared by their types, so that the definitions must match.
#pragma once

#include "sai/api.hpp"

extern "C" {

petrel::sai::Initialize sai_api_initialize;
petrel::sai::Uninitialize sai_api_uninitialize;
petrel::sai::QueryApi sai_api_query;
petrel::sai::QueryVersion sai_query_api_version;
petrel::sai::SetLog sai_log_set;
petrel::sai::QueryObjectType sai_object_type_query;
petrel::sai::QuerySwitchId sai_switch_id_query;
petrel::sai::QueryAttrCapability sai_query_attribute_capability;
petrel::sai::QueryEnumCapability sai_query_attribute_enum_values_capability;
petrel::sai::QueryStatsCapability sai_query_stats_capability;
}
