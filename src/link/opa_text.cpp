#include "link/opa_text.hpp"

#include <array>
#include <utility>

namespace petrel::link {
namespace {

constexpr std::pair<std::uint8_t, std::string_view> kOpaTexts[] = {
    {0, "None"},           {1, "Rcv Error 0"},    {2, "Bad Pkt Len"},    {3, "Pkt Too Long"},   {4, "Pkt Too Short"},
    {5, "Bad slid"},       {6, "Bad dlid"},       {7, "Bad L2"},         {8, "Bad SC"},         {9, "Rcv Error 8"},
    {10, "Bad Mid Tail"},  {11, "Rcv Error 10"},  {12, "Preempt Error"}, {13, "Preempt VL15"},  {14, "Bad VL Marker"},
    {15, "Rcv Error 14"},  {16, "Rcv Error 15"},  {17, "Bad Head Dist"}, {18, "Bad Tail Dist"}, {19, "Bad Ctrl Dist"},
    {20, "Bad Cred Ack"},  {21, "Unsup VL Mrkr"}, {22, "Bad Preempt"},   {23, "Bad Ctrl Flit"}, {24, "Exc MC Limit"},
    {25, "Rcv Error 24"},  {26, "Rcv Error 25"},  {27, "Rcv Error 26"},  {28, "Rcv Error 27"},  {29, "Rcv Error 28"},
    {30, "Rcv Error 29"},  {31, "Rcv Error 30"},  {32, "Exc Buf OVR"},   {33, "Unknown"},       {35, "Reboot"},
    {36, "Neigh Unknown"}, {39, "FM Bounce"},     {40, "Speed Policy"},  {41, "Width Policy"},  {49, "Disconnected"},
    {50, "No Loc Media"},  {51, "Not Installed"}, {52, "Chassis Conf"},  {54, "No End to End"}, {56, "Power Policy"},
    {57, "Speed Policy"},  {58, "Width_Policy"},  {60, "Switch Mgmt"},   {61, "SMA Disabled"},  {63, "Transient"},
};

constexpr std::array<std::string_view, 256> kOpaTextOfCode = [] {
    std::array<std::string_view, 256> all{};
    all.fill(" ???? ");
    for (const auto& [code, text] : kOpaTexts) {
        all[code] = text;
    }
    return all;
}();

}  // namespace

std::string_view opa_tool_text(std::uint8_t code) { return kOpaTextOfCode[code]; }

}  // namespace petrel::link
